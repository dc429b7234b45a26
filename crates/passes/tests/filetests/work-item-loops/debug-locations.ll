; What is computed again in a region has a location of that region's subprogram.
; run: transfer-kernel-metadata,prepare-barriers,work-item-loops
; label: define internal spir_func i32 @k.mux-barrier-region.1(ptr addrspace(1) %p, ptr %live_item, ptr %live_group) #$a !dbg !$sp1
; next: region:
; next: %$id = call i64 @__mux_get_local_id(i32 0), !dbg !$l
; check: store i64 %$id, ptr addrspace(1) %p
; label: define spir_func void @k.mux-barrier-wrapper(ptr addrspace(1) %p) #$w !dbg !$spw
; check: call spir_func i32 @k.mux-barrier-region.1(*), !dbg !$lw
; module:
; check: !$l = !DILocation(line: 4, scope: !$sp1)
; module:
; check: !$lw = !DILocation(line: 3, scope: !$spw)
; module:
; check: !$spw = distinct !DISubprogram(name: "k", linkageName: "k.mux-barrier-wrapper", *line: 3, *flags: DIFlagArtificial
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
