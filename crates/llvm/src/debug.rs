//! Makes debug information: files, types, functions, variables and where instructions come from.

use crate::ffi::ffi;
use crate::{Block, Builder, Context, Function, Metadata, Module, Value};
use llvm_sys::LLVMModuleFlagBehavior;
use llvm_sys::core::*;
use llvm_sys::debuginfo::*;
use llvm_sys::prelude::*;
use std::ffi::c_char;
use std::ptr::null_mut;

/// LLVM does not check the kinds of nodes, so each kind has a type of its own.
macro_rules! nodes {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub struct $name(Metadata);

        impl $name {
            fn new(raw: LLVMMetadataRef) -> Self {
                $name(Metadata::new(raw))
            }

            fn raw(self) -> LLVMMetadataRef {
                self.0.raw()
            }
        }
    )*};
}

nodes! {
    DiFile,
    /// A unit, a function or a block.
    DiScope,
    DiType,
    DiVariable,
    /// A line of a scope.
    DiLocation,
}

/// How the bits of a basic type are read: DWARF's numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DiEncoding {
    Address = 1,
    Boolean = 2,
    Float = 4,
    Signed = 5,
    SignedChar = 6,
    Unsigned = 7,
    UnsignedChar = 8,
}

/// What is around a type: where it is declared.
#[derive(Clone, Copy, Debug)]
pub struct DiPlace {
    pub scope: DiScope,
    pub file: DiFile,
    pub line: u32,
}

pub struct DebugBuilder {
    raw: LLVMDIBuilderRef,
    context: Context,
}

impl Drop for DebugBuilder {
    fn drop(&mut self) {
        if !self.context.has_crashed() {
            ffi!(LLVMDisposeDIBuilder(self.raw));
        }
    }
}

fn text(text: &str) -> (*const c_char, usize) {
    (text.as_ptr().cast(), text.len())
}

fn maybe<T>(node: Option<T>, raw: impl Fn(T) -> LLVMMetadataRef) -> LLVMMetadataRef {
    node.map_or(null_mut(), raw)
}

impl DebugBuilder {
    /// For a module that has no debug information yet.
    pub fn new(module: &Module) -> Self {
        let context = module.context().clone();
        for (name, value) in [("Dwarf Version", 5), ("Debug Info Version", 3)] {
            let value = context.metadata_value(context.i32().const_int(value));
            let behavior = LLVMModuleFlagBehavior::LLVMModuleFlagBehaviorWarning;
            let (key, len) = text(name);
            ffi!(LLVMAddModuleFlag(module.raw(), behavior, key, len, value.raw()));
        }
        DebugBuilder { raw: ffi!(LLVMCreateDIBuilder(module.raw())), context }
    }

    pub fn file(&self, path: &str) -> DiFile {
        let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
        let ((name, name_len), (directory, directory_len)) = (text(name), text(directory));
        DiFile::new(ffi!(LLVMDIBuilderCreateFile(self.raw, name, name_len, directory, directory_len)))
    }

    /// The unit that everything else belongs to; a module has one.
    pub fn unit(&self, file: DiFile, producer: &str) -> DiScope {
        let (producer, len) = text(producer);
        let none = c"".as_ptr();
        DiScope::new(ffi!(LLVMDIBuilderCreateCompileUnit(
            self.raw,
            LLVMDWARFSourceLanguage::LLVMDWARFSourceLanguageC99,
            file.raw(),
            producer,
            len,
            1,
            none,
            0,
            0,
            none,
            0,
            LLVMDWARFEmissionKind::LLVMDWARFEmissionKindFull,
            0,
            0,
            0,
            none,
            0,
            none,
            0
        )))
    }

    // ---- Types ---------------------------------------------------------------------------------

    pub fn basic_type(&self, name: &str, bits: u64, encoding: DiEncoding) -> DiType {
        let (name, len) = text(name);
        DiType::new(ffi!(LLVMDIBuilderCreateBasicType(self.raw, name, len, bits, encoding as u32, 0)))
    }

    /// A pointer; to an unknown type if `to` is `None`.
    pub fn pointer_type(&self, to: Option<DiType>) -> DiType {
        let to = maybe(to, DiType::raw);
        DiType::new(ffi!(LLVMDIBuilderCreatePointerType(self.raw, to, 64, 0, 0, c"".as_ptr(), 0)))
    }

    /// A type with a qualifier: DWARF's tag of it.
    pub fn qualified_type(&self, tag: u32, ty: Option<DiType>) -> DiType {
        let ty = maybe(ty, DiType::raw);
        DiType::new(ffi!(LLVMDIBuilderCreateQualifiedType(self.raw, tag, ty)))
    }

    pub fn typedef(&self, name: &str, ty: Option<DiType>, at: DiPlace) -> DiType {
        let ((name, len), ty) = (text(name), maybe(ty, DiType::raw));
        let (scope, file) = (at.scope.raw(), at.file.raw());
        DiType::new(ffi!(LLVMDIBuilderCreateTypedef(self.raw, ty, name, len, file, at.line, scope, 0)))
    }

    /// An array of so many elements in each dimension, or a vector.
    pub fn array_type(&self, element: DiType, counts: &[i64], bits: u64, vector: bool) -> DiType {
        let range = |n: &i64| ffi!(LLVMDIBuilderGetOrCreateSubrange(self.raw, 0, *n));
        let mut ranges: Vec<_> = counts.iter().map(range).collect();
        let (list, n) = (ranges.as_mut_ptr(), ranges.len() as u32);
        DiType::new(if vector {
            ffi!(LLVMDIBuilderCreateVectorType(self.raw, bits, 0, element.raw(), list, n))
        } else {
            ffi!(LLVMDIBuilderCreateArrayType(self.raw, bits, 0, element.raw(), list, n))
        })
    }

    pub fn struct_type(&self, name: &str, bits: u64, members: &[DiType], at: DiPlace) -> DiType {
        let (name, len) = text(name);
        let mut list: Vec<_> = members.iter().map(|m| m.raw()).collect();
        DiType::new(ffi!(LLVMDIBuilderCreateStructType(
            self.raw,
            at.scope.raw(),
            name,
            len,
            at.file.raw(),
            at.line,
            bits,
            0,
            0,
            null_mut(),
            list.as_mut_ptr(),
            list.len() as u32,
            0,
            null_mut(),
            c"".as_ptr(),
            0
        )))
    }

    /// A member of a struct, at an offset in bits.
    pub fn member(&self, name: &str, ty: DiType, bits: u64, offset: u64, at: DiPlace) -> DiType {
        let (name, len) = text(name);
        let (scope, file) = (at.scope.raw(), at.file.raw());
        DiType::new(ffi!(LLVMDIBuilderCreateMemberType(
            self.raw,
            scope,
            name,
            len,
            file,
            at.line,
            bits,
            0,
            offset,
            0,
            ty.raw()
        )))
    }

    /// A forward declaration of a struct.
    pub fn declared_struct(&self, name: &str, at: DiPlace) -> DiType {
        const STRUCTURE: u32 = 0x13;
        let (name, len) = text(name);
        let (scope, file) = (at.scope.raw(), at.file.raw());
        DiType::new(ffi!(LLVMDIBuilderCreateForwardDecl(
            self.raw,
            STRUCTURE,
            name,
            len,
            scope,
            file,
            at.line,
            0,
            0,
            0,
            c"".as_ptr(),
            0
        )))
    }

    // ---- Functions, variables, places ----------------------------------------------------------

    /// A function that is defined here, and the types of its result (`None` of nothing) and
    /// parameters.
    pub fn function(&self, name: &str, types: &[Option<DiType>], scope_line: u32, at: DiPlace) -> DiScope {
        let mut list: Vec<_> = types.iter().map(|t| maybe(*t, DiType::raw)).collect();
        let (types, n) = (list.as_mut_ptr(), list.len() as u32);
        let ty = ffi!(LLVMDIBuilderCreateSubroutineType(self.raw, at.file.raw(), types, n, 0));
        let (name, len) = text(name);
        DiScope::new(ffi!(LLVMDIBuilderCreateFunction(
            self.raw,
            at.scope.raw(),
            name,
            len,
            c"".as_ptr(),
            0,
            at.file.raw(),
            at.line,
            ty,
            0,
            1,
            scope_line,
            0,
            1
        )))
    }

    pub fn block(&self, column: u32, at: DiPlace) -> DiScope {
        let (scope, file) = (at.scope.raw(), at.file.raw());
        DiScope::new(ffi!(LLVMDIBuilderCreateLexicalBlock(self.raw, scope, file, at.line, column)))
    }

    /// A variable of a function or block; its number among the parameters if it is one.
    pub fn variable(
        &self,
        name: &str,
        parameter: Option<u32>,
        ty: Option<DiType>,
        at: DiPlace,
    ) -> DiVariable {
        let ((name, len), ty) = (text(name), maybe(ty, DiType::raw));
        let (scope, file) = (at.scope.raw(), at.file.raw());
        DiVariable::new(match parameter {
            Some(n) => ffi!(LLVMDIBuilderCreateParameterVariable(
                self.raw, scope, name, len, n, file, at.line, ty, 1, 0
            )),
            None => {
                ffi!(LLVMDIBuilderCreateAutoVariable(self.raw, scope, name, len, file, at.line, ty, 1, 0, 0))
            }
        })
    }

    pub fn location(
        &self,
        line: u32,
        column: u32,
        scope: DiScope,
        inlined: Option<DiLocation>,
    ) -> DiLocation {
        let inlined = maybe(inlined, DiLocation::raw);
        let context = self.context.raw();
        DiLocation::new(ffi!(LLVMDIBuilderCreateDebugLocation(context, line, column, scope.raw(), inlined)))
    }

    /// Inserts a debug record at the end of a block: a variable is declared at an address or, with
    /// `is_value`, has a value.
    pub fn tell(&self, value: Value, is_value: bool, variable: DiVariable, at: DiLocation, block: Block) {
        let (v, variable, at, block) = (value.raw(), variable.raw(), at.raw(), block.raw());
        let plain = ffi!(LLVMDIBuilderCreateExpression(self.raw, null_mut(), 0));
        if is_value {
            ffi!(LLVMDIBuilderInsertDbgValueRecordAtEnd(self.raw, v, variable, plain, at, block));
        } else {
            ffi!(LLVMDIBuilderInsertDeclareRecordAtEnd(self.raw, v, variable, plain, at, block));
        }
    }

    /// Completes the debug information; to be called last.
    pub fn finish(&self) {
        ffi!(LLVMDIBuilderFinalize(self.raw));
    }
}

impl Function {
    pub fn set_subprogram(self, function: DiScope) {
        ffi!(LLVMSetSubprogram(self.raw(), function.raw()));
    }
}

impl Builder {
    /// Where the instructions to come are from.
    pub fn set_location(&self, location: Option<DiLocation>) {
        ffi!(LLVMSetCurrentDebugLocation2(self.raw(), maybe(location, DiLocation::raw)));
    }
}
