// A matrix times a vector, a row for each work-item: rows one after the other in memory, and columns. docs/tuning.md
// tells the story.

kernel void matvec_rows(global const float *matrix, global const float *x, global float *y, uint columns) {
  size_t row = get_global_id(0);
  float sum = 0;
  for (uint k = 0; k < columns; k++)
    sum += matrix[row * columns + k] * x[k];
  y[row] = sum;
}

kernel void matvec_columns(global const float *matrix, global const float *x, global float *y, uint columns) {
  size_t row = get_global_id(0);
  size_t rows = get_global_size(0);
  float sum = 0;
  for (uint k = 0; k < columns; k++)
    sum += matrix[k * rows + row] * x[k];
  y[row] = sum;
}
