//! The `lanewise` program of packages. The driver's library contains the whole program, so that
//! LLVM is on the disk only once: the launcher finds the driver beside it and calls it.

use std::ffi::{CStr, CString, OsStr, OsString, c_char, c_int, c_void};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The folders of the driver, relative to the launcher's folder.
const PLACES: [&str; 3] = ["../lib/lanewise", "../lib", "."];
const DRIVER: &str = "liblanewise_opencl.so";

/// `clGetExtensionFunctionAddress`.
type GetFunction = unsafe extern "C" fn(*const c_char) -> *mut c_void;
/// `lanewiseProgramLANEWISE`.
type Program = unsafe extern "C" fn(c_int, *const *const c_char) -> c_int;

fn main() -> ExitCode {
    match driver().and_then(|driver| load(&driver)) {
        Ok(program) => run(program),
        Err(why) => {
            eprintln!("lanewise: {why}");
            ExitCode::FAILURE
        }
    }
}

fn driver() -> Result<PathBuf, String> {
    // `current_exe` needs /proc, which a minimal root file system may lack.
    let own = std::env::current_exe().unwrap_or_else(|_| executed_file());
    let own = std::fs::canonicalize(&own)
        .map_err(|e| format!("cannot tell where this program is ({}): {e}", own.display()))?;
    let folder = own.parent().unwrap_or(Path::new("/"));
    let mut places = PLACES.iter().map(|place| folder.join(place).join(DRIVER));
    let found = places.find(|path| path.is_file());
    found.ok_or_else(|| format!("{DRIVER} was not found beside {}: install the package again", own.display()))
}

/// The path that was passed to `execve`.
fn executed_file() -> PathBuf {
    // SAFETY: `getauxval` reads the auxiliary vector and has no preconditions.
    let name = unsafe { libc::getauxval(libc::AT_EXECFN) } as *const c_char;
    if name.is_null() {
        return PathBuf::new();
    }
    // SAFETY: AT_EXECFN is a NUL-terminated string that lives as long as the process.
    PathBuf::from(OsStr::from_bytes(unsafe { CStr::from_ptr(name) }.to_bytes()))
}

fn load(driver: &Path) -> Result<Program, String> {
    let path = CString::new(driver.as_os_str().as_bytes()).map_err(|e| e.to_string())?;
    // SAFETY: the driver's library may be loaded by anybody; loaders do so.
    let library = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
    if library.is_null() {
        // SAFETY: after a failure of `dlopen` the string exists, and lives until the next call.
        let why = unsafe { CStr::from_ptr(libc::dlerror()) };
        return Err(why.to_string_lossy().into_owned());
    }
    let broken = || format!("{} is not the driver of this version", driver.display());
    // SAFETY: the library was loaded, and the name ends with NUL.
    let get = unsafe { libc::dlsym(library, c"clGetExtensionFunctionAddress".as_ptr()) };
    if get.is_null() {
        return Err(broken());
    }
    // SAFETY: OpenCL says that the function of this name has this type.
    let get = unsafe { std::mem::transmute::<*mut c_void, GetFunction>(get) };
    // SAFETY: the name ends with NUL.
    let program = unsafe { get(c"lanewiseProgramLANEWISE".as_ptr()) };
    if program.is_null() {
        return Err(broken());
    }
    // SAFETY: the driver's function of this name has this type.
    Ok(unsafe { std::mem::transmute::<*mut c_void, Program>(program) })
}

fn run(program: Program) -> ExitCode {
    let word = |word: OsString| CString::new(word.into_vec()).expect("arguments have no NUL inside");
    let words: Vec<CString> = std::env::args_os().skip(1).map(word).collect();
    let pointers: Vec<*const c_char> = words.iter().map(|word| word.as_ptr()).collect();
    // SAFETY: `pointers` are NUL-terminated strings that live until the call returns.
    let code = unsafe { program(pointers.len() as c_int, pointers.as_ptr()) };
    ExitCode::from(u8::try_from(code).unwrap_or(1))
}
