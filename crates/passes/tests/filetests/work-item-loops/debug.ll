; With `debug`, every source variable is in the live memory, and each region says where: behind the address on the stack,
; also where the declaration is in a block that the region does not run.
; run: transfer-kernel-metadata,prepare-barriers,work-item-loops<debug>
; label: define internal spir_func i32 @k.mux-barrier-region.0(
; check: #dbg_declare(ptr %live.debug, !$x, !DIExpression(DW_OP_deref),
; check: %live.debug = alloca ptr
; check: store ptr %live_item, ptr %live.debug
; check: #dbg_declare(ptr %live.debug, !$y, !DIExpression(DW_OP_deref, DW_OP_plus_uconst, 4),
; label: define internal spir_func i32 @k.mux-barrier-region.1(ptr addrspace(1) %p, i32 %c, ptr %live_item, ptr %live_group) #$a !dbg !$sp1
; next: region:
; check: %live.debug = alloca ptr
; check: store ptr %live_item, ptr %live.debug
; check: #dbg_declare(ptr %live.debug, !$x1, !DIExpression(DW_OP_deref), !$lx)
; not: !dbg
; check: #dbg_declare(ptr %live.debug, !$y1, !DIExpression(DW_OP_deref, DW_OP_plus_uconst, 4), !$ly)
; check: br label %after.0
; check: after.0:
; module:
; check: "mux-live-mem-usage"="32,0"
; module:
; check: !$x1 = !DILocalVariable(name: "x", scope: !$sp1,
; module:
; check: !$y1 = !DILocalVariable(name: "y", scope: !$block,
define spir_kernel void @k(ptr addrspace(1) %p, i32 %c) !dbg !5 {
entry:
  %x = alloca i32
  %y = alloca i32
    #dbg_declare(ptr %x, !8, !DIExpression(), !11)
  %0 = load i32, ptr addrspace(1) %p, !dbg !11
  store i32 %0, ptr %x, !dbg !11
  %tobool = icmp ne i32 %c, 0, !dbg !11
  br i1 %tobool, label %if.then, label %if.end, !dbg !11
if.then:
    #dbg_declare(ptr %y, !9, !DIExpression(), !12)
  %1 = load i32, ptr %x, !dbg !12
  store i32 %1, ptr %y, !dbg !12
  call void @__mux_work_group_barrier(i32 0, i32 2, i32 264), !dbg !12
  %2 = load i32, ptr %y, !dbg !12
  store i32 %2, ptr addrspace(1) %p, !dbg !12
  br label %if.end, !dbg !12
if.end:
  ret void, !dbg !11
}
declare void @__mux_work_group_barrier(i32, i32, i32)
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2, !3}
!0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "d.cl", directory: "/")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !{i32 7, !"Dwarf Version", i32 4}
!4 = !DISubroutineType(types: !{null})
!5 = distinct !DISubprogram(name: "k", scope: !1, file: !1, line: 3, type: !4, scopeLine: 3, spFlags: DISPFlagDefinition, unit: !0, retainedNodes: !7)
!6 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!7 = !{!8, !9}
!8 = !DILocalVariable(name: "x", scope: !5, file: !1, line: 4, type: !6)
!9 = !DILocalVariable(name: "y", scope: !10, file: !1, line: 6, type: !6)
!10 = distinct !DILexicalBlock(scope: !5, file: !1, line: 5)
!11 = !DILocation(line: 4, scope: !5)
!12 = !DILocation(line: 6, scope: !10)
