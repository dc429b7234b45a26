//! Building, compiling and linking programs.

use crate::api::program::devices_of;
use crate::build::{self, Built, For, Outcome, Source};
use crate::cache;
use crate::cl::*;
use crate::ffi::{ErrorCode, In, Memory, Out, Res, create, ensure, err, status};
use crate::handle::{Object, get, get_all};
use crate::objects::context::{Callback, DestructorFn};
use crate::objects::program::{Build, BuildNotify};
use crate::objects::{Context, Device, Program};
use compiler::Header;
use std::ffi::{c_char, c_void};
use std::sync::Arc;

fn notify_of(notify: Option<DestructorFn>, data: Memory) -> Res<Option<BuildNotify>> {
    ensure(notify.is_some() || data.is_null(), CL_INVALID_VALUE)?;
    Ok(notify.map(|function| Callback { function, data }))
}

/// The indices of the devices to build for; all without a list. A build for a device is valid for
/// its sub-devices, too.
fn indices(program: &Program, count: cl_uint, list: In<Handle>) -> Res<Vec<usize>> {
    ensure((count == 0) == list.is_null(), CL_INVALID_VALUE)?;
    if list.is_null() {
        return Ok((0..program.devices.len()).collect());
    }
    let devices = get_all::<Device>(&list.list(count as usize))?;
    let known = devices.iter().all(|d| program.index_of(d).is_some());
    ensure(known, CL_INVALID_DEVICE)?;
    let wanted = |at: &usize| {
        let device = &program.devices[*at];
        devices.iter().any(|d| Arc::ptr_eq(d, device) || device.is_part_of(d))
    };
    Ok((0..program.devices.len()).filter(wanted).collect())
}

pub extern "C" fn clBuildProgram(
    program: Handle,
    count: cl_uint,
    devices: In<Handle>,
    options: In<c_char>,
    notify: Option<DestructorFn>,
    data: Memory,
) -> cl_int {
    status(|| {
        let program = get::<Program>(program)?;
        let indices = indices(&program, count, devices)?;
        let notify = notify_of(notify, data)?;
        let options = options.text().unwrap_or_default();
        if let Some(source) = program.source.clone() {
            let text = options.clone();
            let work = move |target: &For| match build::are_compile_options(target.device, &text) {
                true => cache::build(target, Source::OpenClC(&source, &[]), &text),
                false => bad_options(target, &text, CL_INVALID_BUILD_OPTIONS),
            };
            return program.run_build(indices, &options, notify, work);
        }
        if let Some(il) = program.il.clone() {
            let (text, constants) = (options.clone(), il.given());
            let work = move |target: &For| match build::are_compile_options(target.device, &text) {
                true => cache::build(target, Source::Il(&il.words, &constants), &text),
                false => bad_options(target, &text, CL_INVALID_BUILD_OPTIONS),
            };
            return program.run_build(indices, &options, notify, work);
        }
        // Binaries and linked programs: there is nothing to compile.
        let binaries: Option<Vec<_>> = indices.iter().map(|i| program.build_of(*i).built).collect();
        let binaries = binaries.ok_or(ErrorCode(CL_INVALID_BINARY))?;
        let work = move |target: &For| {
            let own = |built: &&Arc<Built>| built.program.device().id() == target.device.id();
            match binaries.iter().find(own).cloned() {
                None => Outcome::failed(CL_INVALID_BINARY, ""),
                Some(built) if built.is_executable() => Outcome::ready(built),
                Some(built) => cache::link(target, &[built], "", CL_BUILD_PROGRAM_FAILURE),
            }
        };
        program.run_build(indices, &options, notify, work)
    })
}

/// The error for options that no compiler accepts, with a log that names them.
fn bad_options(target: &For, text: &str, code: cl_int) -> Outcome {
    let log = match target.device.compiler().parse_options(text) {
        Err(e) => format!("error: {e}\n"),
        Ok(_) => "error: options for linking libraries are no options of this step\n".to_owned(),
    };
    Outcome::failed(code, log)
}

pub extern "C" fn clCompileProgram(
    program: Handle,
    count: cl_uint,
    devices: In<Handle>,
    options: In<c_char>,
    header_count: cl_uint,
    headers: In<Handle>,
    names: In<In<c_char>>,
    notify: Option<DestructorFn>,
    data: Memory,
) -> cl_int {
    status(|| {
        let program = get::<Program>(program)?;
        let indices = indices(&program, count, devices)?;
        let none = headers.is_null() && names.is_null();
        let all = !headers.is_null() && !names.is_null();
        ensure(if header_count == 0 { none } else { all }, CL_INVALID_VALUE)?;
        let notify = notify_of(notify, data)?;
        let mut included = Vec::new();
        let names = names.list(header_count as usize);
        for (header, name) in get_all::<Program>(&headers.list(header_count as usize))?.iter().zip(names) {
            let text = header.source.clone().ok_or(ErrorCode(CL_INVALID_OPERATION))?;
            included.push((name.text().ok_or(ErrorCode(CL_INVALID_VALUE))?, text));
        }
        let options = options.text().unwrap_or_default();
        if let Some(il) = program.il.clone() {
            let (text, constants) = (options.clone(), il.given());
            let work = move |target: &For| match build::are_compile_options(target.device, &text) {
                true => cache::compile(target, Source::Il(&il.words, &constants), &text),
                false => bad_options(target, &text, CL_INVALID_COMPILER_OPTIONS),
            };
            return program.run_build(indices, &options, notify, work);
        }
        let source = program.source.clone().ok_or(ErrorCode(CL_INVALID_OPERATION))?;
        let text = options.clone();
        let work = move |target: &For| {
            let headers: Vec<_> = included.iter().map(|(name, text)| Header { name, text }).collect();
            match build::are_compile_options(target.device, &text) {
                true => cache::compile(target, Source::OpenClC(&source, &headers), &text),
                false => bad_options(target, &text, CL_INVALID_COMPILER_OPTIONS),
            }
        };
        program.run_build(indices, &options, notify, work)
    })
}

/// The parts to link for each device: all programs must have one for it, or none.
fn parts_for(devices: &[Arc<Device>], programs: &[Arc<Program>]) -> Res<Vec<(usize, Vec<Arc<Built>>)>> {
    let mut all = Vec::new();
    for (i, device) in devices.iter().enumerate() {
        let parts: Vec<_> = programs
            .iter()
            .filter_map(|p| p.built_for(device))
            .filter(|built| !built.is_executable())
            .collect();
        match parts.len() {
            0 => {}
            n if n == programs.len() => all.push((i, parts)),
            _ => return err(CL_INVALID_OPERATION),
        }
    }
    ensure(!all.is_empty(), CL_INVALID_OPERATION)?;
    Ok(all)
}

pub extern "C" fn clLinkProgram(
    context: Handle,
    count: cl_uint,
    devices: In<Handle>,
    options: In<c_char>,
    input_count: cl_uint,
    inputs: In<Handle>,
    notify: Option<DestructorFn>,
    data: Memory,
    code: Out<cl_int>,
) -> *mut c_void {
    // The program object is created even if linking fails: it has the build log.
    let mut failure = CL_SUCCESS;
    let handle = create(code, || {
        let context = get::<Context>(context)?;
        ensure((count == 0) == devices.is_null(), CL_INVALID_VALUE)?;
        ensure(input_count > 0 && !inputs.is_null(), CL_INVALID_VALUE)?;
        let programs = get_all::<Program>(&inputs.list(input_count as usize))?;
        let notify = notify_of(notify, data)?;
        let devices = match devices.is_null() {
            true => context.devices.clone(),
            false => devices_of(&context, count, devices)?,
        };
        let same = programs.iter().all(|p| Arc::ptr_eq(&p.context, &context));
        ensure(same, CL_INVALID_PROGRAM)?;
        let options = options.text().unwrap_or_default();
        let good = devices.iter().all(|d| build::are_link_options(d.device, &options));
        ensure(good, CL_INVALID_LINKER_OPTIONS)?;
        let parts = parts_for(&devices, &programs)?;
        let builds = vec![Build::none(); devices.len()];
        let program = Program::new(&context, devices, None, builds)?;
        let indices = parts.iter().map(|(i, _)| *i).collect();
        let text = options.clone();
        let work = move |target: &For| {
            // A program linked for a device is valid for its sub-devices.
            let is_own = |built: &Arc<Built>| built.program.device().id() == target.device.id();
            let own = parts.iter().find(|(_, parts)| parts.iter().all(is_own));
            let own = own.map_or(&[][..], |(_, parts)| parts);
            cache::link(target, own, &text, CL_LINK_PROGRAM_FAILURE)
        };
        if let Err(ErrorCode(code)) = program.run_build(indices, &options, notify, work) {
            failure = code;
        }
        Ok(program.handle())
    });
    if failure != CL_SUCCESS {
        code.put(failure);
    }
    handle
}
