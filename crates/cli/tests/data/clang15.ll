; As clang-15 prints a kernel with a barrier: attributes of its time, no names of parameters, `readnone` for `memory(none)`.
; ModuleID = 'reverse.cl'
source_filename = "reverse.cl"
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024"
target triple = "spir64-unknown-unknown"

@reverse.tile = internal addrspace(3) global [64 x i32] undef, align 4

; Function Attrs: convergent norecurse nounwind
define dso_local spir_kernel void @reverse(ptr addrspace(1) nocapture noundef align 4 %0) local_unnamed_addr #0 !kernel_arg_addr_space !3 !kernel_arg_access_qual !4 !kernel_arg_type !5 !kernel_arg_base_type !5 !kernel_arg_type_qual !6 {
  %2 = tail call spir_func i64 @_Z13get_global_idj(i32 noundef 0) #3
  %3 = tail call spir_func i64 @_Z12get_local_idj(i32 noundef 0) #3
  %4 = tail call spir_func i64 @_Z14get_local_sizej(i32 noundef 0) #3
  %5 = getelementptr inbounds i32, ptr addrspace(1) %0, i64 %2
  %6 = load i32, ptr addrspace(1) %5, align 4, !tbaa !7
  %7 = getelementptr inbounds [64 x i32], ptr addrspace(3) @reverse.tile, i64 0, i64 %3
  store i32 %6, ptr addrspace(3) %7, align 4, !tbaa !7
  tail call spir_func void @_Z7barrierj(i32 noundef 1) #4
  %8 = xor i64 %3, -1
  %9 = add i64 %4, %8
  %10 = getelementptr inbounds [64 x i32], ptr addrspace(3) @reverse.tile, i64 0, i64 %9
  %11 = load i32, ptr addrspace(3) %10, align 4, !tbaa !7
  store i32 %11, ptr addrspace(1) %5, align 4, !tbaa !7
  ret void
}

; Function Attrs: convergent mustprogress nofree nounwind readnone willreturn
declare spir_func i64 @_Z13get_global_idj(i32 noundef) local_unnamed_addr #1

; Function Attrs: convergent mustprogress nofree nounwind readnone willreturn
declare spir_func i64 @_Z12get_local_idj(i32 noundef) local_unnamed_addr #1

; Function Attrs: convergent mustprogress nofree nounwind readnone willreturn
declare spir_func i64 @_Z14get_local_sizej(i32 noundef) local_unnamed_addr #1

; Function Attrs: convergent
declare spir_func void @_Z7barrierj(i32 noundef) local_unnamed_addr #2

attributes #0 = { convergent norecurse nounwind "frame-pointer"="none" "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "uniform-work-group-size"="true" }
attributes #1 = { convergent mustprogress nofree nounwind readnone willreturn "no-trapping-math"="true" }
attributes #2 = { convergent "frame-pointer"="none" "no-trapping-math"="true" }
attributes #3 = { convergent nounwind readnone willreturn }
attributes #4 = { convergent nounwind }

!llvm.module.flags = !{!0, !1}
!opencl.ocl.version = !{!2}
!llvm.ident = !{!10}

!0 = !{i32 1, !"wchar_size", i32 4}
!1 = !{i32 7, !"frame-pointer", i32 0}
!2 = !{i32 1, i32 2}
!3 = !{i32 1}
!4 = !{!"none"}
!5 = !{!"int*"}
!6 = !{!""}
!7 = !{!8, !8, i64 0}
!8 = !{!"int", !9, i64 0}
!9 = !{!"omnipotent char", !11, i64 0}
!10 = !{!"clang version 15.0.7"}
!11 = !{!"Simple C/C++ TBAA"}
