// Colours for LLVM IR and assembly, which need no parser: a word tells what it is.

import { StreamLanguage, type StringStream } from "@codemirror/language";

const IR_TYPE = /^(i\d+|half|bfloat|float|double|ptr|void|label|metadata|token|vscale|x)\b/;
const IR_WORD =
  /^(define|declare|global|constant|attributes|target|ret|br|switch|unreachable|call|tail|load|store|alloca|phi|select|getelementptr|icmp|fcmp|add|sub|mul|[su]div|[su]rem|shl|lshr|ashr|and|or|xor|f(?:add|sub|mul|div|rem|neg)|zext|sext|trunc|fpext|fptrunc|[su]itofp|fpto[su]i|bitcast|inttoptr|ptrtoint|addrspacecast|extractelement|insertelement|shufflevector|extractvalue|insertvalue|freeze|fence|atomicrmw|cmpxchg)\b/;

function ir(stream: StringStream): string | null {
  if (stream.eatSpace()) return null;
  if (stream.match(/^;.*/)) return "comment";
  if (stream.match(/^"(?:[^"\\]|\\.)*"/)) return "string";
  if (stream.match(/^[\w.$-]+:/)) return "labelName";
  if (stream.match(/^%[\w.$-]+/) || stream.match(/^%"[^"]*"/)) return "variableName";
  if (stream.match(/^@[\w.$-]+/) || stream.match(/^@"[^"]*"/)) return "variableName.function";
  if (stream.match(/^[!#][\w.]+/)) return "meta";
  if (stream.match(IR_TYPE)) return "typeName";
  if (stream.match(IR_WORD)) return "keyword";
  if (stream.match(/^-?(?:0x[\dA-Fa-f]+|\d[\d.e+-]*)/)) return "number";
  if (stream.match(/^\w+/)) return "modifier";
  stream.next();
  return null;
}

function assembly(stream: StringStream): string | null {
  if (stream.sol() && stream.match(/^[\w.$@]+:/)) return "labelName";
  if (stream.eatSpace()) return null;
  if (stream.match(/^(#\s.*|\/\/.*)/)) return "comment";
  if (stream.match(/^%[\w()]+/)) return "variableName";
  if (stream.match(/^[$#]?-?(?:0x[\dA-Fa-f]+|\d+)/)) return "number";
  if (stream.match(/^\.L[\w.$]+/)) return "labelName";
  if (/^\s*$/.test(stream.string.slice(0, stream.pos)) && stream.match(/^[\w.]+/)) return "keyword";
  if (stream.match(/^[\w.$@]+/)) return "variableName.function";
  stream.next();
  return null;
}

const tokenTable = {};
export const irLanguage = StreamLanguage.define({ name: "llvm-ir", token: ir, tokenTable });
export const assemblyLanguage = StreamLanguage.define({ name: "assembly", token: assembly, tokenTable });
