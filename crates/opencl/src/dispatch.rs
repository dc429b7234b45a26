//! The table of functions that the loader calls, in the order of the ICD, and functions by their
//! names.

use crate::api::*;
use crate::ffi::{In, Memory, Out};
use crate::{api, cl::*};
use std::ffi::{c_char, c_void};

/// A function of any type.
#[derive(Clone, Copy)]
struct Function(*const c_void);

// SAFETY: code may be called from any thread.
unsafe impl Sync for Function {}

/// The dispatch table, which the loader finds in the first word of every handle.
pub struct Table([Function; NAMES.len()]);

impl Table {
    pub fn as_ptr(&self) -> *mut c_void {
        self.0.as_ptr().cast_mut().cast()
    }
}

/// The mark of ICD 2, in place of two functions that no loader calls through the table: the second
/// word of every handle is the loader's.
const ICD2_TAG: Function = Function(0x4f50_454e_434c_3331usize as *const c_void);
/// The indices of `clGetPlatformIDs` and `clUnloadCompiler`.
const TAGGED: [usize; 2] = [0, 31];

macro_rules! table {
    ($($name:ident = $path:path,)*) => {
        const NAMES: &[&str] = &[$(stringify!($name)),*];
        const FUNCTIONS: [Function; NAMES.len()] = [$(Function($path as *const c_void)),*];
    };
}

pub static TABLE: Table = {
    let mut functions = FUNCTIONS;
    functions[TAGGED[0]] = ICD2_TAG;
    functions[TAGGED[1]] = ICD2_TAG;
    Table(functions)
};

table! {
    clGetPlatformIDs = platform::clGetPlatformIDs,
    clGetPlatformInfo = platform::clGetPlatformInfo,
    clGetDeviceIDs = device::clGetDeviceIDs,
    clGetDeviceInfo = device::clGetDeviceInfo,
    clCreateContext = context::clCreateContext,
    clCreateContextFromType = context::clCreateContextFromType,
    clRetainContext = context::clRetainContext,
    clReleaseContext = context::clReleaseContext,
    clGetContextInfo = context::clGetContextInfo,
    clCreateCommandQueue = queue::clCreateCommandQueue,
    clRetainCommandQueue = queue::clRetainCommandQueue,
    clReleaseCommandQueue = queue::clReleaseCommandQueue,
    clGetCommandQueueInfo = queue::clGetCommandQueueInfo,
    clSetCommandQueueProperty = queue::clSetCommandQueueProperty,
    clCreateBuffer = buffer::clCreateBuffer,
    clCreateImage2D = image::clCreateImage2D,
    clCreateImage3D = image::clCreateImage3D,
    clRetainMemObject = buffer::clRetainMemObject,
    clReleaseMemObject = buffer::clReleaseMemObject,
    clGetSupportedImageFormats = image::clGetSupportedImageFormats,
    clGetMemObjectInfo = buffer::clGetMemObjectInfo,
    clGetImageInfo = image::clGetImageInfo,
    clCreateSampler = sampler::clCreateSampler,
    clRetainSampler = sampler::clRetainSampler,
    clReleaseSampler = sampler::clReleaseSampler,
    clGetSamplerInfo = sampler::clGetSamplerInfo,
    clCreateProgramWithSource = program::clCreateProgramWithSource,
    clCreateProgramWithBinary = program::clCreateProgramWithBinary,
    clRetainProgram = program::clRetainProgram,
    clReleaseProgram = program::clReleaseProgram,
    clBuildProgram = build::clBuildProgram,
    clUnloadCompiler = platform::clUnloadCompiler,
    clGetProgramInfo = program::clGetProgramInfo,
    clGetProgramBuildInfo = program::clGetProgramBuildInfo,
    clCreateKernel = kernel::clCreateKernel,
    clCreateKernelsInProgram = kernel::clCreateKernelsInProgram,
    clRetainKernel = kernel::clRetainKernel,
    clReleaseKernel = kernel::clReleaseKernel,
    clSetKernelArg = kernel::clSetKernelArg,
    clGetKernelInfo = kernel::clGetKernelInfo,
    clGetKernelWorkGroupInfo = kernel::clGetKernelWorkGroupInfo,
    clWaitForEvents = event::clWaitForEvents,
    clGetEventInfo = event::clGetEventInfo,
    clRetainEvent = event::clRetainEvent,
    clReleaseEvent = event::clReleaseEvent,
    clGetEventProfilingInfo = event::clGetEventProfilingInfo,
    clFlush = queue::clFlush,
    clFinish = queue::clFinish,
    clEnqueueReadBuffer = transfer::clEnqueueReadBuffer,
    clEnqueueWriteBuffer = transfer::clEnqueueWriteBuffer,
    clEnqueueCopyBuffer = transfer::clEnqueueCopyBuffer,
    clEnqueueReadImage = image_transfer::clEnqueueReadImage,
    clEnqueueWriteImage = image_transfer::clEnqueueWriteImage,
    clEnqueueCopyImage = image_transfer::clEnqueueCopyImage,
    clEnqueueCopyImageToBuffer = image_transfer::clEnqueueCopyImageToBuffer,
    clEnqueueCopyBufferToImage = image_transfer::clEnqueueCopyBufferToImage,
    clEnqueueMapBuffer = map::clEnqueueMapBuffer,
    clEnqueueMapImage = image_transfer::clEnqueueMapImage,
    clEnqueueUnmapMemObject = map::clEnqueueUnmapMemObject,
    clEnqueueNDRangeKernel = launch::clEnqueueNDRangeKernel,
    clEnqueueTask = launch::clEnqueueTask,
    clEnqueueNativeKernel = launch::clEnqueueNativeKernel,
    clEnqueueMarker = queue::clEnqueueMarker,
    clEnqueueWaitForEvents = queue::clEnqueueWaitForEvents,
    clEnqueueBarrier = queue::clEnqueueBarrier,
    clGetExtensionFunctionAddress = platform::clGetExtensionFunctionAddress,
    clCreateFromGLBuffer = absent::absent_gl_buffer,
    clCreateFromGLTexture2D = absent::absent_gl_texture,
    clCreateFromGLTexture3D = absent::absent_gl_texture,
    clCreateFromGLRenderbuffer = absent::absent_gl_buffer,
    clGetGLObjectInfo = absent::absent_command,
    clGetGLTextureInfo = absent::absent_command,
    clEnqueueAcquireGLObjects = absent::absent_command,
    clEnqueueReleaseGLObjects = absent::absent_command,
    clGetGLContextInfoKHR = absent::absent_command,
    clGetDeviceIDsFromD3D10KHR = absent::absent_command,
    clCreateFromD3D10BufferKHR = absent::absent_d3d_buffer,
    clCreateFromD3D10Texture2DKHR = absent::absent_d3d_texture,
    clCreateFromD3D10Texture3DKHR = absent::absent_d3d_texture,
    clEnqueueAcquireD3D10ObjectsKHR = absent::absent_command,
    clEnqueueReleaseD3D10ObjectsKHR = absent::absent_command,
    clSetEventCallback = event::clSetEventCallback,
    clCreateSubBuffer = buffer::clCreateSubBuffer,
    clSetMemObjectDestructorCallback = buffer::clSetMemObjectDestructorCallback,
    clCreateUserEvent = event::clCreateUserEvent,
    clSetUserEventStatus = event::clSetUserEventStatus,
    clEnqueueReadBufferRect = rect::clEnqueueReadBufferRect,
    clEnqueueWriteBufferRect = rect::clEnqueueWriteBufferRect,
    clEnqueueCopyBufferRect = rect::clEnqueueCopyBufferRect,
    clCreateSubDevicesEXT = absent::absent_command,
    clRetainDeviceEXT = absent::absent_command,
    clReleaseDeviceEXT = absent::absent_command,
    clCreateEventFromGLsyncKHR = absent::absent_gl_sync,
    clCreateSubDevices = device::clCreateSubDevices,
    clRetainDevice = device::clRetainDevice,
    clReleaseDevice = device::clReleaseDevice,
    clCreateImage = image::clCreateImage,
    clCreateProgramWithBuiltInKernels = program::clCreateProgramWithBuiltInKernels,
    clCompileProgram = build::clCompileProgram,
    clLinkProgram = build::clLinkProgram,
    clUnloadPlatformCompiler = platform::clUnloadPlatformCompiler,
    clGetKernelArgInfo = kernel::clGetKernelArgInfo,
    clEnqueueFillBuffer = transfer::clEnqueueFillBuffer,
    clEnqueueFillImage = image_transfer::clEnqueueFillImage,
    clEnqueueMigrateMemObjects = transfer::clEnqueueMigrateMemObjects,
    clEnqueueMarkerWithWaitList = queue::clEnqueueMarkerWithWaitList,
    clEnqueueBarrierWithWaitList = queue::clEnqueueBarrierWithWaitList,
    clGetExtensionFunctionAddressForPlatform = platform::clGetExtensionFunctionAddressForPlatform,
    clCreateFromGLTexture = absent::absent_gl_texture,
    clGetDeviceIDsFromD3D11KHR = absent::absent_command,
    clCreateFromD3D11BufferKHR = absent::absent_d3d_buffer,
    clCreateFromD3D11Texture2DKHR = absent::absent_d3d_texture,
    clCreateFromD3D11Texture3DKHR = absent::absent_d3d_texture,
    clCreateFromDX9MediaSurfaceKHR = absent::absent_dx9_surface,
    clEnqueueAcquireD3D11ObjectsKHR = absent::absent_command,
    clEnqueueReleaseD3D11ObjectsKHR = absent::absent_command,
    clGetDeviceIDsFromDX9MediaAdapterKHR = absent::absent_command,
    clEnqueueAcquireDX9MediaSurfacesKHR = absent::absent_command,
    clEnqueueReleaseDX9MediaSurfacesKHR = absent::absent_command,
    clCreateFromEGLImageKHR = absent::absent_egl_image,
    clEnqueueAcquireEGLObjectsKHR = absent::absent_command,
    clEnqueueReleaseEGLObjectsKHR = absent::absent_command,
    clCreateEventFromEGLSyncKHR = absent::absent_egl_sync,
    clCreateCommandQueueWithProperties = queue::clCreateCommandQueueWithProperties,
    clCreatePipe = absent::clCreatePipe,
    clGetPipeInfo = absent::clGetPipeInfo,
    clSVMAlloc = svm::clSVMAlloc,
    clSVMFree = svm::clSVMFree,
    clEnqueueSVMFree = svm::clEnqueueSVMFree,
    clEnqueueSVMMemcpy = svm::clEnqueueSVMMemcpy,
    clEnqueueSVMMemFill = svm::clEnqueueSVMMemFill,
    clEnqueueSVMMap = svm::clEnqueueSVMMap,
    clEnqueueSVMUnmap = svm::clEnqueueSVMUnmap,
    clCreateSamplerWithProperties = sampler::clCreateSamplerWithProperties,
    clSetKernelArgSVMPointer = kernel::clSetKernelArgSVMPointer,
    clSetKernelExecInfo = kernel::clSetKernelExecInfo,
    clGetKernelSubGroupInfoKHR = kernel::clGetKernelSubGroupInfo,
    clCloneKernel = kernel::clCloneKernel,
    clCreateProgramWithIL = program::clCreateProgramWithIL,
    clEnqueueSVMMigrateMem = svm::clEnqueueSVMMigrateMem,
    clGetDeviceAndHostTimer = device::clGetDeviceAndHostTimer,
    clGetHostTimer = device::clGetHostTimer,
    clGetKernelSubGroupInfo = kernel::clGetKernelSubGroupInfo,
    clSetDefaultDeviceCommandQueue = queue::clSetDefaultDeviceCommandQueue,
    clSetProgramReleaseCallback = program::clSetProgramReleaseCallback,
    clSetProgramSpecializationConstant = program::clSetProgramSpecializationConstant,
    clCreateBufferWithProperties = buffer::clCreateBufferWithProperties,
    clCreateImageWithProperties = image::clCreateImageWithProperties,
    clSetContextDestructorCallback = context::clSetContextDestructorCallback,
    clGetKernelSuggestedLocalWorkSize = launch::clGetKernelSuggestedLocalWorkSize,
}

/// Functions of extensions, by their names.
static EXTENSIONS: &[(&str, Function)] = &[
    ("clIcdGetPlatformIDsKHR", Function(platform::clIcdGetPlatformIDsKHR as *const c_void)),
    (
        "clIcdGetFunctionAddressForPlatformKHR",
        Function(platform::clIcdGetFunctionAddressForPlatformKHR as *const c_void),
    ),
    ("clIcdSetPlatformDispatchDataKHR", Function(platform::clIcdSetPlatformDispatchDataKHR as *const c_void)),
    (
        "clGetKernelSuggestedLocalWorkSizeKHR",
        Function(launch::clGetKernelSuggestedLocalWorkSize as *const c_void),
    ),
    (
        "clCreateCommandQueueWithPropertiesKHR",
        Function(queue::clCreateCommandQueueWithProperties as *const c_void),
    ),
    ("clCreateProgramWithILKHR", Function(program::clCreateProgramWithIL as *const c_void)),
    ("clCreateCommandBufferKHR", Function(command_buffer::clCreateCommandBufferKHR as *const c_void)),
    ("clRetainCommandBufferKHR", Function(command_buffer::clRetainCommandBufferKHR as *const c_void)),
    ("clReleaseCommandBufferKHR", Function(command_buffer::clReleaseCommandBufferKHR as *const c_void)),
    ("clFinalizeCommandBufferKHR", Function(command_buffer::clFinalizeCommandBufferKHR as *const c_void)),
    ("clGetCommandBufferInfoKHR", Function(command_buffer::clGetCommandBufferInfoKHR as *const c_void)),
    ("clEnqueueCommandBufferKHR", Function(command_buffer::clEnqueueCommandBufferKHR as *const c_void)),
    (
        "clCommandBarrierWithWaitListKHR",
        Function(command_buffer::clCommandBarrierWithWaitListKHR as *const c_void),
    ),
    ("clCommandCopyBufferKHR", Function(command_buffer::clCommandCopyBufferKHR as *const c_void)),
    ("clCommandCopyBufferRectKHR", Function(command_buffer::clCommandCopyBufferRectKHR as *const c_void)),
    (
        "clCommandCopyBufferToImageKHR",
        Function(command_buffer::clCommandCopyBufferToImageKHR as *const c_void),
    ),
    ("clCommandCopyImageKHR", Function(command_buffer::clCommandCopyImageKHR as *const c_void)),
    (
        "clCommandCopyImageToBufferKHR",
        Function(command_buffer::clCommandCopyImageToBufferKHR as *const c_void),
    ),
    ("clCommandFillBufferKHR", Function(command_buffer::clCommandFillBufferKHR as *const c_void)),
    ("clCommandFillImageKHR", Function(command_buffer::clCommandFillImageKHR as *const c_void)),
    ("clCommandNDRangeKernelKHR", Function(command_buffer::clCommandNDRangeKernelKHR as *const c_void)),
    ("clCommandSVMMemcpyKHR", Function(command_buffer::clCommandSVMMemcpyKHR as *const c_void)),
    ("clCommandSVMMemFillKHR", Function(command_buffer::clCommandSVMMemFillKHR as *const c_void)),
    ("clHostMemAllocINTEL", Function(usm::clHostMemAllocINTEL as *const c_void)),
    ("clDeviceMemAllocINTEL", Function(usm::clDeviceMemAllocINTEL as *const c_void)),
    ("clSharedMemAllocINTEL", Function(usm::clSharedMemAllocINTEL as *const c_void)),
    ("clMemFreeINTEL", Function(usm::clMemFreeINTEL as *const c_void)),
    ("clMemBlockingFreeINTEL", Function(usm::clMemBlockingFreeINTEL as *const c_void)),
    ("clGetMemAllocInfoINTEL", Function(usm::clGetMemAllocInfoINTEL as *const c_void)),
    ("clSetKernelArgMemPointerINTEL", Function(usm::clSetKernelArgMemPointerINTEL as *const c_void)),
    ("clEnqueueMemFillINTEL", Function(usm::clEnqueueMemFillINTEL as *const c_void)),
    ("clEnqueueMemcpyINTEL", Function(usm::clEnqueueMemcpyINTEL as *const c_void)),
    ("clEnqueueMigrateMemINTEL", Function(usm::clEnqueueMigrateMemINTEL as *const c_void)),
    ("clEnqueueMemAdviseINTEL", Function(usm::clEnqueueMemAdviseINTEL as *const c_void)),
    ("clUpdateMutableCommandsKHR", Function(mutable_command::clUpdateMutableCommandsKHR as *const c_void)),
    ("clGetMutableCommandInfoKHR", Function(mutable_command::clGetMutableCommandInfoKHR as *const c_void)),
    ("clRemapCommandBufferKHR", Function(remap::clRemapCommandBufferKHR as *const c_void)),
    ("clSVMAllocWithPropertiesKHR", Function(unified_svm::clSVMAllocWithPropertiesKHR as *const c_void)),
    ("clSVMFreeWithPropertiesKHR", Function(unified_svm::clSVMFreeWithPropertiesKHR as *const c_void)),
    ("clGetSVMPointerInfoKHR", Function(unified_svm::clGetSVMPointerInfoKHR as *const c_void)),
    ("clGetSVMSuggestedTypeIndexKHR", Function(unified_svm::clGetSVMSuggestedTypeIndexKHR as *const c_void)),
    ("clSetKernelArgDevicePointerEXT", Function(kernel::clSetKernelArgDevicePointerEXT as *const c_void)),
    ("lanewiseProgramLANEWISE", Function(program_main::lanewiseProgramLANEWISE as *const c_void)),
    // Loaders look this function up as an extension, too.
    ("clGetPlatformInfo", Function(platform::clGetPlatformInfo as *const c_void)),
];

/// The function of an extension; null if there is none of this name.
pub fn extension(name: &str) -> *mut c_void {
    let found = EXTENSIONS.iter().find(|(known, _)| *known == name);
    found.map_or(std::ptr::null_mut(), |(_, function)| function.0.cast_mut())
}

/// Whether the function is of an extension that the driver does not have: sharing with graphics,
/// and functions from before version 1.2.
fn is_absent(name: &str) -> bool {
    ["GL", "D3D", "DX9", "EXT"].iter().any(|mark| name.contains(mark))
}

/// The function of this name, of the core or an extension; null if there is none.
pub fn function(name: &str) -> *mut c_void {
    match NAMES.iter().position(|known| *known == name && !is_absent(name)) {
        Some(i) => FUNCTIONS[i].0.cast_mut(),
        None => extension(name),
    }
}

// The exported symbols of the library. The table and the functions above do not use these symbols:
// in a process they may resolve to the loader's.

/// Exported for the loader.
#[unsafe(no_mangle)]
pub extern "C" fn clIcdGetPlatformIDsKHR(
    count: cl_uint,
    platforms: Out<Handle>,
    count_ret: Out<cl_uint>,
) -> cl_int {
    platform::clGetPlatformIDs(count, platforms, count_ret)
}

/// Exported for the loader.
#[unsafe(no_mangle)]
pub extern "C" fn clGetExtensionFunctionAddress(name: In<c_char>) -> *mut c_void {
    api::platform::clGetExtensionFunctionAddress(name)
}

/// Exported for the loader.
#[unsafe(no_mangle)]
pub extern "C" fn clGetPlatformInfo(
    platform: Handle,
    name: cl_uint,
    size: usize,
    value: Out<u8>,
    size_ret: Out<usize>,
) -> cl_int {
    api::platform::clGetPlatformInfo(platform, name, size, value, size_ret)
}

/// Exported for the loader.
#[unsafe(no_mangle)]
pub extern "C" fn clIcdGetFunctionAddressForPlatformKHR(platform: Handle, name: In<c_char>) -> *mut c_void {
    api::platform::clIcdGetFunctionAddressForPlatformKHR(platform, name)
}

/// Exported for the loader.
#[unsafe(no_mangle)]
pub extern "C" fn clIcdSetPlatformDispatchDataKHR(platform: Handle, data: Memory) -> cl_int {
    api::platform::clIcdSetPlatformDispatchDataKHR(platform, data)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tag_of_icd_2_is_where_loaders_look() {
        assert_eq!(TAGGED.map(|i| NAMES[i]), ["clGetPlatformIDs", "clUnloadCompiler"]);
        for (i, function) in TABLE.0.iter().enumerate() {
            assert_eq!(function.0 == ICD2_TAG.0, TAGGED.contains(&i), "{}", NAMES[i]);
        }
        // Of OpenCL 3.1, as the headers count them.
        assert_eq!((NAMES.len(), NAMES[123]), (150, "clCreateCommandQueueWithProperties"));
        assert_eq!(NAMES.last(), Some(&"clGetKernelSuggestedLocalWorkSize"));
    }
}
