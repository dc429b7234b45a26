//! A process that may have no more memory: calls fail with a code for that, the process lives on,
//! and all works again when there is memory. In a process of its own, whose address space is
//! limited.

mod common;

use common::*;
use std::ffi::CString;
use std::process::Command;

/// The bytes of address space that this process has.
fn address_space() -> u64 {
    let status = std::fs::read_to_string("/proc/self/statm").unwrap();
    status.split(' ').next().unwrap().parse::<u64>().unwrap() * 4096
}

/// Limits the address space; `None` is as much as there was.
fn limit(most: Option<u64>) {
    let mut now = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: writes to `now`.
    assert_eq!(unsafe { libc::getrlimit(libc::RLIMIT_AS, &mut now) }, 0);
    now.rlim_cur = most.unwrap_or(now.rlim_max);
    // SAFETY: sets a limit of this process.
    assert_eq!(unsafe { libc::setrlimit(libc::RLIMIT_AS, &now) }, 0);
}

/// What calls may say when memory is short; `Err` if this one did.
fn short(code: cl_int) -> Result<(), cl_int> {
    let codes = [CL_OUT_OF_HOST_MEMORY, CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_OUT_OF_RESOURCES];
    match code {
        CL_SUCCESS => Ok(()),
        code if codes.contains(&code) => Err(code),
        code => panic!("unexpected code {code}"),
    }
}

fn made_or_short(make: impl FnOnce(Out<cl_int>) -> *mut std::ffi::c_void) -> Result<Handle, cl_int> {
    made(make).map_err(|code| short(code).unwrap_err())
}

/// Objects to release at the end, whatever happened.
#[derive(Default)]
struct Made {
    mems: Vec<Handle>,
    programs: Vec<Handle>,
    kernels: Vec<Handle>,
}

impl Drop for Made {
    fn drop(&mut self) {
        self.kernels.drain(..).for_each(release_kernel);
        self.programs.drain(..).for_each(release_program);
        self.mems.drain(..).for_each(release_mem);
    }
}

/// Builds and runs a program that was never built before; whether all of it went well.
fn work(cl: &Cl, seed: usize) -> Result<(), cl_int> {
    let source = CString::new(format!("kernel void f(global int *a) {{ a[get_global_id(0)] = {seed}; }}"));
    let (source, mut all) = (source.unwrap(), Made::default());
    let mem = made_or_short(|code| buffer::clCreateBuffer(cl.context, 0, 1 << 16, Memory::NULL, code))?;
    all.mems.push(mem);
    let strings = [In::from(source.as_c_str())];
    let program = made_or_short(|code| {
        program::clCreateProgramWithSource(cl.context, 1, list(&strings), In::NULL, code)
    })?;
    all.programs.push(program);
    short(build::clBuildProgram(program, 0, In::NULL, In::NULL, None, Memory::NULL))?;
    let kernel = made_or_short(|code| kernel::clCreateKernel(program, c"f".into(), code))?;
    all.kernels.push(kernel);
    short(set_arg(kernel, 0, mem))?;
    let ran = short(cl.run(kernel, &[1 << 14], Some(&[64])));
    short(queue::clFinish(cl.queue))?;
    ran?;
    let mut values = vec![0i32; 1 << 14];
    let to = memory_mut(&mut values);
    short(transfer::clEnqueueReadBuffer(cl.queue, mem, 1, 0, 1 << 16, to, 0, In::NULL, Out::NULL))?;
    assert!(values.iter().all(|value| *value == seed as i32));
    Ok(())
}

/// What a program hands over in one piece is not copied where there is no room for it.
fn large(cl: &Cl) {
    let text = CString::new(vec![b' '; 64 << 20]).unwrap();
    let strings = [In::from(text.as_c_str())];
    for lengths in [vec![], vec![64usize << 20]] {
        let lengths = if lengths.is_empty() { In::NULL } else { list(&lengths) };
        limit(Some(address_space() + (32 << 20)));
        let program =
            made(|code| program::clCreateProgramWithSource(cl.context, 1, list(&strings), lengths, code));
        limit(None);
        assert_eq!(program, Err(CL_OUT_OF_HOST_MEMORY));
    }
    limit(Some(address_space() + (32 << 20)));
    let (buffer, status) = (from_binary(cl, text.as_bytes()), CL_OUT_OF_HOST_MEMORY);
    let mem = made(|code| buffer::clCreateBuffer(cl.context, 0, 64 << 20, Memory::NULL, code));
    limit(None);
    assert_eq!(buffer.0, Err(status));
    assert!(matches!(mem, Err(CL_MEM_OBJECT_ALLOCATION_FAILURE | CL_OUT_OF_HOST_MEMORY)), "{mem:?}");
}

#[test]
fn calls_fail_and_the_process_lives_on() {
    if std::env::var_os("LANEWISE_TEST_CHILD").is_none() {
        let child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "calls_fail_and_the_process_lives_on", "--nocapture"])
            .env("LANEWISE_TEST_CHILD", "1")
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&child.stderr);
        assert!(child.status.success(), "{}\n{text}", child.status);
        return;
    }
    let cl = Cl::new();
    work(&cl, 1).unwrap();
    let mut went_well = Vec::new();
    // With the last ones, there is room for clang's stack.
    for (i, slack) in [0u64, 1 << 16, 1 << 20, 40 << 20, 257 << 20, 260 << 20].into_iter().enumerate() {
        limit(Some(address_space() + slack));
        let result = work(&cl, 10 + i);
        limit(None);
        went_well.push(result.is_ok());
        assert_eq!(work(&cl, 100 + i), Ok(()), "after {slack} bytes: {result:?}");
    }
    assert!(went_well.contains(&false), "memory was never short");
    large(&cl);
    work(&cl, 2).unwrap();
}
