// The energy of each particle: of an array of structs, and of arrays. docs/tuning.md tells the story.

typedef struct {
  float x, y, z, mass;
  float vx, vy, vz, charge;
} Particle;

kernel void energy_structs(global const Particle *p, global float *energy) {
  size_t i = get_global_id(0);
  energy[i] = 0.5f * p[i].mass * (p[i].vx * p[i].vx + p[i].vy * p[i].vy);
}

kernel void energy_arrays(global const float *mass, global const float *vx, global const float *vy,
                          global float *energy) {
  size_t i = get_global_id(0);
  energy[i] = 0.5f * mass[i] * (vx[i] * vx[i] + vy[i] * vy[i]);
}
