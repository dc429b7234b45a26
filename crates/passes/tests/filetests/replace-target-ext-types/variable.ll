; A variable of the program cannot be an image.
; run: replace-target-ext-types
; error: replace-target-ext-types: a variable of the program has the type target("spirv.Sampler")
@v = external global target("spirv.Sampler")
define target("spirv.Sampler") @f() {
  %s = load target("spirv.Sampler"), ptr @v
  ret target("spirv.Sampler") %s
}
