; A loop to an argument around a loop of eight trips: each block counts as often as it runs.
; run: count-work
; check: "mux-work"="32*1:0:1 8;32*1:0:1"
define spir_kernel void @k(ptr addrspace(1) %p, i32 %n) #0 {
entry:
  %some = icmp sgt i32 %n, 0
  br i1 %some, label %outer, label %end
outer:
  %i = phi i32 [ 0, %entry ], [ %i.next, %latch ]
  %s = phi float [ 0.0, %entry ], [ %t, %latch ]
  br label %inner
inner:
  %j = phi i32 [ 0, %outer ], [ %j.next, %inner ]
  %u = phi float [ %s, %outer ], [ %t, %inner ]
  %x = load float, ptr addrspace(1) %p, align 4
  %d = call <2 x float> @llvm.fma.v2f32(<2 x float> zeroinitializer, <2 x float> zeroinitializer, <2 x float> zeroinitializer)
  %t = extractelement <2 x float> %d, i64 0
  %j.next = add i32 %j, 1
  %more = icmp ne i32 %j.next, 8
  br i1 %more, label %inner, label %latch
latch:
  %i.next = add i32 %i, 1
  %again = icmp slt i32 %i.next, %n
  br i1 %again, label %outer, label %end
end:
  store double 0.0, ptr addrspace(1) %p, align 8
  ret void
}
declare <2 x float> @llvm.fma.v2f32(<2 x float>, <2 x float>, <2 x float>)
attributes #0 = { "mux-kernel"="entry-point" }
