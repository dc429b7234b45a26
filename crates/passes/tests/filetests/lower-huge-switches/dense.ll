; Cases that follow each other are an index into a table.
; run: lower-huge-switches
; label: define i32 @f(i32 %x) {
; next: entry:
; next: %0 = sub i32 %x, 10
; next: %found = icmp ult i32 %0, 300
; next: %place = zext i32 %0 to i64
; next: br i1 %found, label %switch.lookup, label %switch.rest
; next: switch.lookup:
; next: %1 = getelementptr inbounds i32, ptr addrspace(2) @switch.table, i64 %place
; next: %2 = load i32, ptr addrspace(2) %1, align 4
; next: br label %end
; next: switch.rest:
; next: br label %other
; next: other:
; next: %y = mul i32 %x, 3
; next: br label %end
; next: end:
; next: %r = phi i32 [ %y, %other ], [ %2, %switch.lookup ]
; next: ret i32 %r
; next: }
define i32 @f(i32 %x) {
entry:
  switch i32 %x, label %other [
    i32 10, label %c0
    i32 11, label %c1
    i32 12, label %c2
    i32 13, label %c3
    i32 14, label %c4
    i32 15, label %c5
    i32 16, label %c6
    i32 17, label %c7
    i32 18, label %c8
    i32 19, label %c9
    i32 20, label %c10
    i32 21, label %c11
    i32 22, label %c12
    i32 23, label %c13
    i32 24, label %c14
    i32 25, label %c15
    i32 26, label %c16
    i32 27, label %c17
    i32 28, label %c18
    i32 29, label %c19
    i32 30, label %c20
    i32 31, label %c21
    i32 32, label %c22
    i32 33, label %c23
    i32 34, label %c24
    i32 35, label %c25
    i32 36, label %c26
    i32 37, label %c27
    i32 38, label %c28
    i32 39, label %c29
    i32 40, label %c30
    i32 41, label %c31
    i32 42, label %c32
    i32 43, label %c33
    i32 44, label %c34
    i32 45, label %c35
    i32 46, label %c36
    i32 47, label %c37
    i32 48, label %c38
    i32 49, label %c39
    i32 50, label %c40
    i32 51, label %c41
    i32 52, label %c42
    i32 53, label %c43
    i32 54, label %c44
    i32 55, label %c45
    i32 56, label %c46
    i32 57, label %c47
    i32 58, label %c48
    i32 59, label %c49
    i32 60, label %c50
    i32 61, label %c51
    i32 62, label %c52
    i32 63, label %c53
    i32 64, label %c54
    i32 65, label %c55
    i32 66, label %c56
    i32 67, label %c57
    i32 68, label %c58
    i32 69, label %c59
    i32 70, label %c60
    i32 71, label %c61
    i32 72, label %c62
    i32 73, label %c63
    i32 74, label %c64
    i32 75, label %c65
    i32 76, label %c66
    i32 77, label %c67
    i32 78, label %c68
    i32 79, label %c69
    i32 80, label %c70
    i32 81, label %c71
    i32 82, label %c72
    i32 83, label %c73
    i32 84, label %c74
    i32 85, label %c75
    i32 86, label %c76
    i32 87, label %c77
    i32 88, label %c78
    i32 89, label %c79
    i32 90, label %c80
    i32 91, label %c81
    i32 92, label %c82
    i32 93, label %c83
    i32 94, label %c84
    i32 95, label %c85
    i32 96, label %c86
    i32 97, label %c87
    i32 98, label %c88
    i32 99, label %c89
    i32 100, label %c90
    i32 101, label %c91
    i32 102, label %c92
    i32 103, label %c93
    i32 104, label %c94
    i32 105, label %c95
    i32 106, label %c96
    i32 107, label %c97
    i32 108, label %c98
    i32 109, label %c99
    i32 110, label %c100
    i32 111, label %c101
    i32 112, label %c102
    i32 113, label %c103
    i32 114, label %c104
    i32 115, label %c105
    i32 116, label %c106
    i32 117, label %c107
    i32 118, label %c108
    i32 119, label %c109
    i32 120, label %c110
    i32 121, label %c111
    i32 122, label %c112
    i32 123, label %c113
    i32 124, label %c114
    i32 125, label %c115
    i32 126, label %c116
    i32 127, label %c117
    i32 128, label %c118
    i32 129, label %c119
    i32 130, label %c120
    i32 131, label %c121
    i32 132, label %c122
    i32 133, label %c123
    i32 134, label %c124
    i32 135, label %c125
    i32 136, label %c126
    i32 137, label %c127
    i32 138, label %c128
    i32 139, label %c129
    i32 140, label %c130
    i32 141, label %c131
    i32 142, label %c132
    i32 143, label %c133
    i32 144, label %c134
    i32 145, label %c135
    i32 146, label %c136
    i32 147, label %c137
    i32 148, label %c138
    i32 149, label %c139
    i32 150, label %c140
    i32 151, label %c141
    i32 152, label %c142
    i32 153, label %c143
    i32 154, label %c144
    i32 155, label %c145
    i32 156, label %c146
    i32 157, label %c147
    i32 158, label %c148
    i32 159, label %c149
    i32 160, label %c150
    i32 161, label %c151
    i32 162, label %c152
    i32 163, label %c153
    i32 164, label %c154
    i32 165, label %c155
    i32 166, label %c156
    i32 167, label %c157
    i32 168, label %c158
    i32 169, label %c159
    i32 170, label %c160
    i32 171, label %c161
    i32 172, label %c162
    i32 173, label %c163
    i32 174, label %c164
    i32 175, label %c165
    i32 176, label %c166
    i32 177, label %c167
    i32 178, label %c168
    i32 179, label %c169
    i32 180, label %c170
    i32 181, label %c171
    i32 182, label %c172
    i32 183, label %c173
    i32 184, label %c174
    i32 185, label %c175
    i32 186, label %c176
    i32 187, label %c177
    i32 188, label %c178
    i32 189, label %c179
    i32 190, label %c180
    i32 191, label %c181
    i32 192, label %c182
    i32 193, label %c183
    i32 194, label %c184
    i32 195, label %c185
    i32 196, label %c186
    i32 197, label %c187
    i32 198, label %c188
    i32 199, label %c189
    i32 200, label %c190
    i32 201, label %c191
    i32 202, label %c192
    i32 203, label %c193
    i32 204, label %c194
    i32 205, label %c195
    i32 206, label %c196
    i32 207, label %c197
    i32 208, label %c198
    i32 209, label %c199
    i32 210, label %c200
    i32 211, label %c201
    i32 212, label %c202
    i32 213, label %c203
    i32 214, label %c204
    i32 215, label %c205
    i32 216, label %c206
    i32 217, label %c207
    i32 218, label %c208
    i32 219, label %c209
    i32 220, label %c210
    i32 221, label %c211
    i32 222, label %c212
    i32 223, label %c213
    i32 224, label %c214
    i32 225, label %c215
    i32 226, label %c216
    i32 227, label %c217
    i32 228, label %c218
    i32 229, label %c219
    i32 230, label %c220
    i32 231, label %c221
    i32 232, label %c222
    i32 233, label %c223
    i32 234, label %c224
    i32 235, label %c225
    i32 236, label %c226
    i32 237, label %c227
    i32 238, label %c228
    i32 239, label %c229
    i32 240, label %c230
    i32 241, label %c231
    i32 242, label %c232
    i32 243, label %c233
    i32 244, label %c234
    i32 245, label %c235
    i32 246, label %c236
    i32 247, label %c237
    i32 248, label %c238
    i32 249, label %c239
    i32 250, label %c240
    i32 251, label %c241
    i32 252, label %c242
    i32 253, label %c243
    i32 254, label %c244
    i32 255, label %c245
    i32 256, label %c246
    i32 257, label %c247
    i32 258, label %c248
    i32 259, label %c249
    i32 260, label %c250
    i32 261, label %c251
    i32 262, label %c252
    i32 263, label %c253
    i32 264, label %c254
    i32 265, label %c255
    i32 266, label %c256
    i32 267, label %c257
    i32 268, label %c258
    i32 269, label %c259
    i32 270, label %c260
    i32 271, label %c261
    i32 272, label %c262
    i32 273, label %c263
    i32 274, label %c264
    i32 275, label %c265
    i32 276, label %c266
    i32 277, label %c267
    i32 278, label %c268
    i32 279, label %c269
    i32 280, label %c270
    i32 281, label %c271
    i32 282, label %c272
    i32 283, label %c273
    i32 284, label %c274
    i32 285, label %c275
    i32 286, label %c276
    i32 287, label %c277
    i32 288, label %c278
    i32 289, label %c279
    i32 290, label %c280
    i32 291, label %c281
    i32 292, label %c282
    i32 293, label %c283
    i32 294, label %c284
    i32 295, label %c285
    i32 296, label %c286
    i32 297, label %c287
    i32 298, label %c288
    i32 299, label %c289
    i32 300, label %c290
    i32 301, label %c291
    i32 302, label %c292
    i32 303, label %c293
    i32 304, label %c294
    i32 305, label %c295
    i32 306, label %c296
    i32 307, label %c297
    i32 308, label %c298
    i32 309, label %c299
  ]
c0:
  br label %end
c1:
  br label %end
c2:
  br label %end
c3:
  br label %end
c4:
  br label %end
c5:
  br label %end
c6:
  br label %end
c7:
  br label %end
c8:
  br label %end
c9:
  br label %end
c10:
  br label %end
c11:
  br label %end
c12:
  br label %end
c13:
  br label %end
c14:
  br label %end
c15:
  br label %end
c16:
  br label %end
c17:
  br label %end
c18:
  br label %end
c19:
  br label %end
c20:
  br label %end
c21:
  br label %end
c22:
  br label %end
c23:
  br label %end
c24:
  br label %end
c25:
  br label %end
c26:
  br label %end
c27:
  br label %end
c28:
  br label %end
c29:
  br label %end
c30:
  br label %end
c31:
  br label %end
c32:
  br label %end
c33:
  br label %end
c34:
  br label %end
c35:
  br label %end
c36:
  br label %end
c37:
  br label %end
c38:
  br label %end
c39:
  br label %end
c40:
  br label %end
c41:
  br label %end
c42:
  br label %end
c43:
  br label %end
c44:
  br label %end
c45:
  br label %end
c46:
  br label %end
c47:
  br label %end
c48:
  br label %end
c49:
  br label %end
c50:
  br label %end
c51:
  br label %end
c52:
  br label %end
c53:
  br label %end
c54:
  br label %end
c55:
  br label %end
c56:
  br label %end
c57:
  br label %end
c58:
  br label %end
c59:
  br label %end
c60:
  br label %end
c61:
  br label %end
c62:
  br label %end
c63:
  br label %end
c64:
  br label %end
c65:
  br label %end
c66:
  br label %end
c67:
  br label %end
c68:
  br label %end
c69:
  br label %end
c70:
  br label %end
c71:
  br label %end
c72:
  br label %end
c73:
  br label %end
c74:
  br label %end
c75:
  br label %end
c76:
  br label %end
c77:
  br label %end
c78:
  br label %end
c79:
  br label %end
c80:
  br label %end
c81:
  br label %end
c82:
  br label %end
c83:
  br label %end
c84:
  br label %end
c85:
  br label %end
c86:
  br label %end
c87:
  br label %end
c88:
  br label %end
c89:
  br label %end
c90:
  br label %end
c91:
  br label %end
c92:
  br label %end
c93:
  br label %end
c94:
  br label %end
c95:
  br label %end
c96:
  br label %end
c97:
  br label %end
c98:
  br label %end
c99:
  br label %end
c100:
  br label %end
c101:
  br label %end
c102:
  br label %end
c103:
  br label %end
c104:
  br label %end
c105:
  br label %end
c106:
  br label %end
c107:
  br label %end
c108:
  br label %end
c109:
  br label %end
c110:
  br label %end
c111:
  br label %end
c112:
  br label %end
c113:
  br label %end
c114:
  br label %end
c115:
  br label %end
c116:
  br label %end
c117:
  br label %end
c118:
  br label %end
c119:
  br label %end
c120:
  br label %end
c121:
  br label %end
c122:
  br label %end
c123:
  br label %end
c124:
  br label %end
c125:
  br label %end
c126:
  br label %end
c127:
  br label %end
c128:
  br label %end
c129:
  br label %end
c130:
  br label %end
c131:
  br label %end
c132:
  br label %end
c133:
  br label %end
c134:
  br label %end
c135:
  br label %end
c136:
  br label %end
c137:
  br label %end
c138:
  br label %end
c139:
  br label %end
c140:
  br label %end
c141:
  br label %end
c142:
  br label %end
c143:
  br label %end
c144:
  br label %end
c145:
  br label %end
c146:
  br label %end
c147:
  br label %end
c148:
  br label %end
c149:
  br label %end
c150:
  br label %end
c151:
  br label %end
c152:
  br label %end
c153:
  br label %end
c154:
  br label %end
c155:
  br label %end
c156:
  br label %end
c157:
  br label %end
c158:
  br label %end
c159:
  br label %end
c160:
  br label %end
c161:
  br label %end
c162:
  br label %end
c163:
  br label %end
c164:
  br label %end
c165:
  br label %end
c166:
  br label %end
c167:
  br label %end
c168:
  br label %end
c169:
  br label %end
c170:
  br label %end
c171:
  br label %end
c172:
  br label %end
c173:
  br label %end
c174:
  br label %end
c175:
  br label %end
c176:
  br label %end
c177:
  br label %end
c178:
  br label %end
c179:
  br label %end
c180:
  br label %end
c181:
  br label %end
c182:
  br label %end
c183:
  br label %end
c184:
  br label %end
c185:
  br label %end
c186:
  br label %end
c187:
  br label %end
c188:
  br label %end
c189:
  br label %end
c190:
  br label %end
c191:
  br label %end
c192:
  br label %end
c193:
  br label %end
c194:
  br label %end
c195:
  br label %end
c196:
  br label %end
c197:
  br label %end
c198:
  br label %end
c199:
  br label %end
c200:
  br label %end
c201:
  br label %end
c202:
  br label %end
c203:
  br label %end
c204:
  br label %end
c205:
  br label %end
c206:
  br label %end
c207:
  br label %end
c208:
  br label %end
c209:
  br label %end
c210:
  br label %end
c211:
  br label %end
c212:
  br label %end
c213:
  br label %end
c214:
  br label %end
c215:
  br label %end
c216:
  br label %end
c217:
  br label %end
c218:
  br label %end
c219:
  br label %end
c220:
  br label %end
c221:
  br label %end
c222:
  br label %end
c223:
  br label %end
c224:
  br label %end
c225:
  br label %end
c226:
  br label %end
c227:
  br label %end
c228:
  br label %end
c229:
  br label %end
c230:
  br label %end
c231:
  br label %end
c232:
  br label %end
c233:
  br label %end
c234:
  br label %end
c235:
  br label %end
c236:
  br label %end
c237:
  br label %end
c238:
  br label %end
c239:
  br label %end
c240:
  br label %end
c241:
  br label %end
c242:
  br label %end
c243:
  br label %end
c244:
  br label %end
c245:
  br label %end
c246:
  br label %end
c247:
  br label %end
c248:
  br label %end
c249:
  br label %end
c250:
  br label %end
c251:
  br label %end
c252:
  br label %end
c253:
  br label %end
c254:
  br label %end
c255:
  br label %end
c256:
  br label %end
c257:
  br label %end
c258:
  br label %end
c259:
  br label %end
c260:
  br label %end
c261:
  br label %end
c262:
  br label %end
c263:
  br label %end
c264:
  br label %end
c265:
  br label %end
c266:
  br label %end
c267:
  br label %end
c268:
  br label %end
c269:
  br label %end
c270:
  br label %end
c271:
  br label %end
c272:
  br label %end
c273:
  br label %end
c274:
  br label %end
c275:
  br label %end
c276:
  br label %end
c277:
  br label %end
c278:
  br label %end
c279:
  br label %end
c280:
  br label %end
c281:
  br label %end
c282:
  br label %end
c283:
  br label %end
c284:
  br label %end
c285:
  br label %end
c286:
  br label %end
c287:
  br label %end
c288:
  br label %end
c289:
  br label %end
c290:
  br label %end
c291:
  br label %end
c292:
  br label %end
c293:
  br label %end
c294:
  br label %end
c295:
  br label %end
c296:
  br label %end
c297:
  br label %end
c298:
  br label %end
c299:
  br label %end
other:
  %y = mul i32 %x, 3
  br label %end
end:
  %r = phi i32 [ %y, %other ], [ 0, %c0 ], [ 1, %c1 ], [ 4, %c2 ], [ 9, %c3 ], [ 16, %c4 ], [ 25, %c5 ], [ 36, %c6 ], [ 49, %c7 ], [ 64, %c8 ], [ 81, %c9 ], [ 100, %c10 ], [ 121, %c11 ], [ 144, %c12 ], [ 169, %c13 ], [ 196, %c14 ], [ 225, %c15 ], [ 256, %c16 ], [ 289, %c17 ], [ 324, %c18 ], [ 361, %c19 ], [ 400, %c20 ], [ 441, %c21 ], [ 484, %c22 ], [ 529, %c23 ], [ 576, %c24 ], [ 625, %c25 ], [ 676, %c26 ], [ 729, %c27 ], [ 784, %c28 ], [ 841, %c29 ], [ 900, %c30 ], [ 961, %c31 ], [ 24, %c32 ], [ 89, %c33 ], [ 156, %c34 ], [ 225, %c35 ], [ 296, %c36 ], [ 369, %c37 ], [ 444, %c38 ], [ 521, %c39 ], [ 600, %c40 ], [ 681, %c41 ], [ 764, %c42 ], [ 849, %c43 ], [ 936, %c44 ], [ 25, %c45 ], [ 116, %c46 ], [ 209, %c47 ], [ 304, %c48 ], [ 401, %c49 ], [ 500, %c50 ], [ 601, %c51 ], [ 704, %c52 ], [ 809, %c53 ], [ 916, %c54 ], [ 25, %c55 ], [ 136, %c56 ], [ 249, %c57 ], [ 364, %c58 ], [ 481, %c59 ], [ 600, %c60 ], [ 721, %c61 ], [ 844, %c62 ], [ 969, %c63 ], [ 96, %c64 ], [ 225, %c65 ], [ 356, %c66 ], [ 489, %c67 ], [ 624, %c68 ], [ 761, %c69 ], [ 900, %c70 ], [ 41, %c71 ], [ 184, %c72 ], [ 329, %c73 ], [ 476, %c74 ], [ 625, %c75 ], [ 776, %c76 ], [ 929, %c77 ], [ 84, %c78 ], [ 241, %c79 ], [ 400, %c80 ], [ 561, %c81 ], [ 724, %c82 ], [ 889, %c83 ], [ 56, %c84 ], [ 225, %c85 ], [ 396, %c86 ], [ 569, %c87 ], [ 744, %c88 ], [ 921, %c89 ], [ 100, %c90 ], [ 281, %c91 ], [ 464, %c92 ], [ 649, %c93 ], [ 836, %c94 ], [ 25, %c95 ], [ 216, %c96 ], [ 409, %c97 ], [ 604, %c98 ], [ 801, %c99 ], [ 0, %c100 ], [ 201, %c101 ], [ 404, %c102 ], [ 609, %c103 ], [ 816, %c104 ], [ 25, %c105 ], [ 236, %c106 ], [ 449, %c107 ], [ 664, %c108 ], [ 881, %c109 ], [ 100, %c110 ], [ 321, %c111 ], [ 544, %c112 ], [ 769, %c113 ], [ 996, %c114 ], [ 225, %c115 ], [ 456, %c116 ], [ 689, %c117 ], [ 924, %c118 ], [ 161, %c119 ], [ 400, %c120 ], [ 641, %c121 ], [ 884, %c122 ], [ 129, %c123 ], [ 376, %c124 ], [ 625, %c125 ], [ 876, %c126 ], [ 129, %c127 ], [ 384, %c128 ], [ 641, %c129 ], [ 900, %c130 ], [ 161, %c131 ], [ 424, %c132 ], [ 689, %c133 ], [ 956, %c134 ], [ 225, %c135 ], [ 496, %c136 ], [ 769, %c137 ], [ 44, %c138 ], [ 321, %c139 ], [ 600, %c140 ], [ 881, %c141 ], [ 164, %c142 ], [ 449, %c143 ], [ 736, %c144 ], [ 25, %c145 ], [ 316, %c146 ], [ 609, %c147 ], [ 904, %c148 ], [ 201, %c149 ], [ 500, %c150 ], [ 801, %c151 ], [ 104, %c152 ], [ 409, %c153 ], [ 716, %c154 ], [ 25, %c155 ], [ 336, %c156 ], [ 649, %c157 ], [ 964, %c158 ], [ 281, %c159 ], [ 600, %c160 ], [ 921, %c161 ], [ 244, %c162 ], [ 569, %c163 ], [ 896, %c164 ], [ 225, %c165 ], [ 556, %c166 ], [ 889, %c167 ], [ 224, %c168 ], [ 561, %c169 ], [ 900, %c170 ], [ 241, %c171 ], [ 584, %c172 ], [ 929, %c173 ], [ 276, %c174 ], [ 625, %c175 ], [ 976, %c176 ], [ 329, %c177 ], [ 684, %c178 ], [ 41, %c179 ], [ 400, %c180 ], [ 761, %c181 ], [ 124, %c182 ], [ 489, %c183 ], [ 856, %c184 ], [ 225, %c185 ], [ 596, %c186 ], [ 969, %c187 ], [ 344, %c188 ], [ 721, %c189 ], [ 100, %c190 ], [ 481, %c191 ], [ 864, %c192 ], [ 249, %c193 ], [ 636, %c194 ], [ 25, %c195 ], [ 416, %c196 ], [ 809, %c197 ], [ 204, %c198 ], [ 601, %c199 ], [ 0, %c200 ], [ 401, %c201 ], [ 804, %c202 ], [ 209, %c203 ], [ 616, %c204 ], [ 25, %c205 ], [ 436, %c206 ], [ 849, %c207 ], [ 264, %c208 ], [ 681, %c209 ], [ 100, %c210 ], [ 521, %c211 ], [ 944, %c212 ], [ 369, %c213 ], [ 796, %c214 ], [ 225, %c215 ], [ 656, %c216 ], [ 89, %c217 ], [ 524, %c218 ], [ 961, %c219 ], [ 400, %c220 ], [ 841, %c221 ], [ 284, %c222 ], [ 729, %c223 ], [ 176, %c224 ], [ 625, %c225 ], [ 76, %c226 ], [ 529, %c227 ], [ 984, %c228 ], [ 441, %c229 ], [ 900, %c230 ], [ 361, %c231 ], [ 824, %c232 ], [ 289, %c233 ], [ 756, %c234 ], [ 225, %c235 ], [ 696, %c236 ], [ 169, %c237 ], [ 644, %c238 ], [ 121, %c239 ], [ 600, %c240 ], [ 81, %c241 ], [ 564, %c242 ], [ 49, %c243 ], [ 536, %c244 ], [ 25, %c245 ], [ 516, %c246 ], [ 9, %c247 ], [ 504, %c248 ], [ 1, %c249 ], [ 500, %c250 ], [ 1, %c251 ], [ 504, %c252 ], [ 9, %c253 ], [ 516, %c254 ], [ 25, %c255 ], [ 536, %c256 ], [ 49, %c257 ], [ 564, %c258 ], [ 81, %c259 ], [ 600, %c260 ], [ 121, %c261 ], [ 644, %c262 ], [ 169, %c263 ], [ 696, %c264 ], [ 225, %c265 ], [ 756, %c266 ], [ 289, %c267 ], [ 824, %c268 ], [ 361, %c269 ], [ 900, %c270 ], [ 441, %c271 ], [ 984, %c272 ], [ 529, %c273 ], [ 76, %c274 ], [ 625, %c275 ], [ 176, %c276 ], [ 729, %c277 ], [ 284, %c278 ], [ 841, %c279 ], [ 400, %c280 ], [ 961, %c281 ], [ 524, %c282 ], [ 89, %c283 ], [ 656, %c284 ], [ 225, %c285 ], [ 796, %c286 ], [ 369, %c287 ], [ 944, %c288 ], [ 521, %c289 ], [ 100, %c290 ], [ 681, %c291 ], [ 264, %c292 ], [ 849, %c293 ], [ 436, %c294 ], [ 25, %c295 ], [ 616, %c296 ], [ 209, %c297 ], [ 804, %c298 ], [ 401, %c299 ]
  ret i32 %r
}
