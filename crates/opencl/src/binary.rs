//! Program binaries: a serialized module, and the machine code that was made from it, in a
//! container that names its kind, CPU and version.

use crate::cl::*;
use compiler::{Machine, Reader, Writer};
use jit::{CarriedCode, hash128};
use runtime::Device;
use std::collections::BTreeMap;

const MAGIC: &[u8; 8] = b"LWOPENCL";
/// The version of the format.
const FORMAT: u64 = 3;

/// The contents of a program binary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binary {
    /// `CL_PROGRAM_BINARY_TYPE_…`
    pub kind: cl_uint,
    /// The options that the program was compiled and linked with.
    pub options: String,
    /// The build log.
    pub log: String,
    /// Machine code of its kernels.
    pub code: CarriedCode,
    /// The module, as `compiler::Module::serialize` writes it.
    pub module: Vec<u8>,
}

/// The version of Lanewise and the device, on which code depends besides its source.
pub fn made_for(device: &dyn Device) -> String {
    let (version, llvm) = (env!("CARGO_PKG_VERSION"), llvm::VERSION);
    let Machine { triple, cpu, features } = device.compiler().backend().machine();
    let device = device.id();
    format!(
        "Lanewise {version} (LLVM {llvm}) for the device '{device}' ({triple}, {cpu}), features {features}"
    )
}

impl Binary {
    pub fn to_bytes(&self, device: &dyn Device) -> Vec<u8> {
        let mut w = Writer(MAGIC.to_vec());
        w.u64(FORMAT).text(&made_for(device));
        w.u64(u64::from(self.kind)).text(&self.options).text(&self.log).u64(self.code.len() as u64);
        // In order, so that the same program has the same binary.
        for (key, code) in self.code.iter().collect::<BTreeMap<_, _>>() {
            w.bytes(key).bytes(code);
        }
        w.bytes(&self.module);
        let hash = hash128(&w.0);
        w.0.extend(hash);
        w.0
    }

    /// Reads the bytes of `to_bytes`, for this device and version; refuses all others.
    pub fn read(bytes: &[u8], device: &dyn Device) -> Result<Binary, String> {
        let (body, hash) = bytes.split_last_chunk::<16>().unwrap_or((&[], &[0; 16]));
        let mut r = Reader(body.strip_prefix(MAGIC).ok_or("not a program binary of Lanewise")?);
        if hash128(body) != *hash {
            return Err("the binary is damaged or cut short".to_owned());
        }
        let made = (r.u64() == Some(FORMAT)).then(|| r.text()).flatten();
        let here = made_for(device);
        if made.as_ref() != Some(&here) {
            // Leaves LLVM's long list of features out of the message.
            let short = |text: &str| text.split(", features").next().unwrap_or(text).to_owned();
            return Err(match made.map(|made| (short(&made), short(&here))) {
                None => "the binary was made by another version of Lanewise".to_owned(),
                Some((made, here)) if made == here => {
                    "the binary was made for a CPU with other features".to_owned()
                }
                Some((made, here)) => format!("the binary was made by {made}, and this is {here}"),
            });
        }
        Binary::contents(r).ok_or_else(|| "the binary is no program".to_owned())
    }

    fn contents(mut r: Reader<'_>) -> Option<Binary> {
        let kind = u32::try_from(r.u64()?).ok()?;
        let known = [
            CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT,
            CL_PROGRAM_BINARY_TYPE_LIBRARY,
            CL_PROGRAM_BINARY_TYPE_EXECUTABLE,
        ];
        let (options, log, count) = (r.text()?, r.text()?, r.u64()?);
        let mut entry = || Some((r.bytes()?.try_into().ok()?, r.bytes()?.to_vec()));
        let code = (0..count).map(|_| entry()).collect::<Option<CarriedCode>>()?;
        let binary = Binary { kind, options, log, code, module: r.bytes()?.to_vec() };
        (known.contains(&kind) && r.0.is_empty()).then_some(binary)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn binaries_are_read_back_and_broken_ones_refused() {
        let binary = Binary {
            kind: CL_PROGRAM_BINARY_TYPE_EXECUTABLE,
            options: "-DX=1".to_owned(),
            log: "a warning".to_owned(),
            code: CarriedCode::from([([1; 16], vec![4, 5]), ([2; 16], vec![])]),
            module: vec![1, 2, 3],
        };
        let device = devices::device("cpu").unwrap();
        let bytes = binary.to_bytes(device);
        assert_eq!(Binary::read(&bytes, device), Ok(binary));
        let error = Binary::read(&bytes, devices::device("threads").unwrap()).unwrap_err();
        assert!(
            error.contains("for the device 'cpu'") && error.contains("for the device 'threads'"),
            "{error}"
        );
        assert!(error.len() < 300, "{error}");
        for len in 0..bytes.len() {
            assert!(Binary::read(&bytes[..len], device).is_err());
        }
        for i in 0..bytes.len() {
            let mut bad = bytes.clone();
            bad[i] ^= 0x20;
            assert!(Binary::read(&bad, device).is_err(), "byte {i}");
        }
    }
}
