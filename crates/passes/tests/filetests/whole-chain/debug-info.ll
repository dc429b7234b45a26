; The whole chain keeps a kernel's debug information well-formed when everything is inlined.
; run: transfer-kernel-metadata,lower-to-mux-builtins,prepare-barriers,work-item-loops,replace-local-module-scope-variables,add-scheduling-parameters,add-kernel-wrapper,define-mux-builtins,llvm(always-inline,globaldce,default<O1>)
; label: define *void @k.mux-kernel-wrapper(*!dbg !$sp
; check: store *, !dbg !$l
; module:
; check: !$l = !DILocation(line: 4, scope: !$s, inlinedAt: !$i)
define spir_kernel void @k(ptr addrspace(1) %p) !dbg !5 {
  %id = call i64 @__mux_get_local_id(i32 0), !dbg !11
  call void @__mux_work_group_barrier(i32 0, i32 2, i32 264), !dbg !11
  store i64 %id, ptr addrspace(1) %p, !dbg !11
  ret void, !dbg !11
}
declare i64 @__mux_get_local_id(i32)
declare void @__mux_work_group_barrier(i32, i32, i32)
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "d.cl", directory: "/")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!4 = !DISubroutineType(types: !{null})
!5 = distinct !DISubprogram(name: "k", scope: !1, file: !1, line: 3, type: !4, scopeLine: 3, spFlags: DISPFlagDefinition, unit: !0)
!11 = !DILocation(line: 4, scope: !5)
