/**
 * Registers of Solana's bytecode: r0 holds results, and r1 to r5 hold arguments, which calls overwrite. r10 points to
 * the end of the stack frame.
 */
export type Register = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10;

/**
 * Opcodes of 64-bit operations whose operand is a number. If the operand is a register, the opcode has one more bit
 * set.
 */
const operations = {
  add: 0x07,
  sub: 0x17,
  mul: 0x27,
  div: 0x37,
  or: 0x47,
  and: 0x57,
  shiftLeft: 0x67,
  shiftRight: 0x77,
  move: 0xb7,
} as const;

/** Opcodes of unsigned comparisons with a number. */
const conditions = { equal: 0x15, atLeast: 0x35, unequal: 0x55, below: 0xa5 } as const;

const withRegister = 0x08;

type Operand = number | { register: Register };

/** A place in memory: a register that holds an address, and an offset in bytes. */
export type Place = readonly [base: Register, offset: number];

export const inRegister = (number: Register): Operand => ({ register: number });

/** Collects instructions and links them into a program that Solana's loader accepts. */
export class SBPFAssembler {
  readonly #code: Buffer[] = [];
  readonly #labels = new Map<string, number>();
  readonly #jumps: { at: number; label: string }[] = [];
  readonly #calls: { at: number; name: string }[] = [];
  readonly #functionCalls: { at: number; label: string }[] = [];

  do(operation: keyof typeof operations, to: Register, operand: Operand): this {
    return this.#withOperand(operations[operation], to, operand);
  }

  /** Sets a register to a 64-bit constant. */
  constant(to: Register, value: bigint): this {
    const low = Number(BigInt.asIntN(32, value));
    const high = Number(BigInt.asIntN(32, value >> 32n));
    return this.#emit(0x18, to, 0, 0, low).#emit(0, 0, 0, 0, high);
  }

  load(to: Register, [base, offset]: Place): this {
    return this.#emit(0x79, to, base, offset, 0);
  }

  loadWord(to: Register, [base, offset]: Place): this {
    return this.#emit(0x61, to, base, offset, 0);
  }

  loadByte(to: Register, [base, offset]: Place): this {
    return this.#emit(0x71, to, base, offset, 0);
  }

  store([base, offset]: Place, from: Operand): this {
    return typeof from === "number"
      ? this.#emit(0x7a, base, 0, offset, from)
      : this.#emit(0x7b, base, from.register, offset, 0);
  }

  storeByte([base, offset]: Place, from: Operand): this {
    return typeof from === "number"
      ? this.#emit(0x72, base, 0, offset, from)
      : this.#emit(0x73, base, from.register, offset, 0);
  }

  label(name: string): this {
    this.#labels.set(name, this.#code.length);
    return this;
  }

  jump(label: string): this {
    return this.#jump(label).#emit(0x05, 0, 0, 0, 0);
  }

  jumpIf(condition: keyof typeof conditions, left: Register, right: Operand, label: string): this {
    return this.#jump(label).#withOperand(conditions[condition], left, right);
  }

  /** Calls a runtime function, which returns its result in r0. */
  call(name: string): this {
    this.#calls.push({ at: this.#code.length, name });
    return this.#emit(0x85, 0, 1, 0, -1);
  }

  /** Calls the code at a label, which ends with {@link exit}. It gets copies of r6 to r9 and a stack frame of its own. */
  callFunction(label: string): this {
    this.#functionCalls.push({ at: this.#code.length, label });
    return this.#emit(0x85, 0, 1, 0, 0);
  }

  exit(): this {
    return this.#emit(0x95, 0, 0, 0, 0);
  }

  link(): Buffer {
    for (const { at, label } of this.#jumps) this.#code[at]?.writeInt16LE(this.#target(label) - at - 1, 2);
    for (const { at, label } of this.#functionCalls)
      this.#code[at]?.writeInt32LE(this.#target(label) - at - 1, 4);
    return elfOf(Buffer.concat(this.#code), this.#calls);
  }

  #target(label: string): number {
    const target = this.#labels.get(label);
    if (target === undefined) throw new Error(`The program has no label ${label}`);
    return target;
  }

  #jump(label: string): this {
    this.#jumps.push({ at: this.#code.length, label });
    return this;
  }

  #withOperand(opcode: number, to: Register, operand: Operand): this {
    return typeof operand === "number"
      ? this.#emit(opcode, to, 0, 0, operand)
      : this.#emit(opcode | withRegister, to, operand.register, 0, 0);
  }

  #emit(opcode: number, to: Register, from: Register, offset: number, value: number): this {
    const instruction = Buffer.alloc(8);
    instruction.writeUInt8(opcode, 0);
    instruction.writeUInt8(to | (from << 4), 1);
    instruction.writeInt16LE(offset, 2);
    instruction.writeInt32LE(value, 4);
    this.#code.push(instruction);
    return this;
  }
}

type Call = { at: number; name: string };

type Section = {
  name: string;
  type: number;
  flags: number;
  bytes: Buffer;
  link?: number;
  entrySize?: number;
};

const headerSize = 64;
const segmentSize = 56;
const segments = 3;

/** Types of sections in an ELF file. */
const kinds = { code: 1, strings: 3, dynamic: 6, relocations: 9, symbols: 11 } as const;

/** Relocation type of a call to a function that is found by the hash of its name. */
const callRelocation = 10n;

/** Builds a 64-bit ELF file for machine 247, which is BPF. Calls are relocated by their functions' names. */
function elfOf(code: Buffer, calls: readonly Call[]): Buffer {
  const names = [...new Set(calls.map(({ name }) => name))];
  const strings = Buffer.from(["", ...names, ""].join("\0"));
  const padded = Buffer.concat([strings, Buffer.alloc(-strings.length & 7)]);
  const codeAt = headerSize + segments * segmentSize;
  const dynamicAt = codeAt + code.length;
  const dynamicSize = 16 * 7;
  const symbolsAt = dynamicAt + dynamicSize;
  const stringsAt = symbolsAt + 24 * (names.length + 1);
  const relocationsAt = stringsAt + padded.length;
  const symbols = names.map((name) =>
    words([BigInt(strings.indexOf(`\0${name}\0`) + 1) | (0x10n << 32n), 0n, 0n]),
  );
  const relocations = calls.map(({ at, name }) =>
    words([BigInt(codeAt + 8 * at), (BigInt(names.indexOf(name) + 1) << 32n) | callRelocation]),
  );
  const size = BigInt(16 * calls.length);
  // Addresses of the tables of symbols, strings and relocations, the sizes of their entries, and the size of the last
  // table.
  const dynamic = words([
    ...[6n, BigInt(symbolsAt), 19n, 16n, 5n, BigInt(stringsAt), 10n, BigInt(strings.length)],
    ...[17n, BigInt(relocationsAt), 18n, size, 0n, 0n],
  ]);
  const sections: Section[] = [
    { name: ".text", type: kinds.code, flags: 6, bytes: code },
    { name: ".dynamic", type: kinds.dynamic, flags: 3, bytes: dynamic, link: 4, entrySize: 16 },
    {
      name: ".dynsym",
      type: kinds.symbols,
      flags: 2,
      link: 4,
      entrySize: 24,
      bytes: Buffer.concat([Buffer.alloc(24), ...symbols]),
    },
    { name: ".dynstr", type: kinds.strings, flags: 2, bytes: padded },
    {
      name: ".rel.dyn",
      type: kinds.relocations,
      flags: 2,
      link: 3,
      entrySize: 16,
      bytes: Buffer.concat(relocations),
    },
  ];
  return linked(sections, { codeAt, dynamicAt, end: relocationsAt + 16 * calls.length });
}

const words = (values: readonly bigint[]): Buffer => {
  const buffer = Buffer.alloc(8 * values.length);
  for (const [index, value] of values.entries()) buffer.writeBigUInt64LE(value, 8 * index);
  return buffer;
};

/** Lays out the sections in a row, between the table of segments and the table of sections. */
function linked(
  sections: readonly Section[],
  { codeAt, dynamicAt, end }: { codeAt: number; dynamicAt: number; end: number },
): Buffer {
  const names = Buffer.from(["", ...sections.map(({ name }) => name), ".shstrtab", ""].join("\0"));
  const tableAt = end + names.length + (-(end + names.length) & 7);
  const codeSize = sections[0]?.bytes.length ?? 0;
  const dynamicSize = sections[1]?.bytes.length ?? 0;
  let at = codeAt;
  const nameAt = (name: string) => names.indexOf(`\0${name}\0`) + 1;
  const headers = sections.map((section) => {
    const header = sectionHeader(nameAt(section.name), section, at);
    at += section.bytes.length;
    return header;
  });
  const ownNames: Section = { name: ".shstrtab", type: kinds.strings, flags: 0, bytes: names };
  return Buffer.concat([
    fileHeader({ codeAt, tableAt, sections: sections.length + 2 }),
    segment(1, 5, codeAt, codeSize),
    segment(1, 6, dynamicAt, end - dynamicAt),
    segment(2, 6, dynamicAt, dynamicSize),
    ...sections.map(({ bytes }) => bytes),
    names,
    Buffer.alloc(tableAt - end - names.length),
    Buffer.alloc(headerSize),
    ...headers,
    sectionHeader(nameAt(ownNames.name), ownNames, end),
  ]);
}

function fileHeader({ codeAt, tableAt, sections }: { codeAt: number; tableAt: number; sections: number }) {
  const header = Buffer.alloc(headerSize);
  header.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1]);
  header.writeUInt16LE(3, 16);
  header.writeUInt16LE(247, 18);
  header.writeUInt32LE(1, 20);
  header.writeBigUInt64LE(BigInt(codeAt), 24);
  header.writeBigUInt64LE(BigInt(headerSize), 32);
  header.writeBigUInt64LE(BigInt(tableAt), 40);
  const sizes = [headerSize, segmentSize, segments, headerSize, sections, sections - 1];
  for (const [index, size] of sizes.entries()) header.writeUInt16LE(size, 52 + 2 * index);
  return header;
}

const segment = (type: number, flags: number, at: number, size: number): Buffer => {
  const place = BigInt(at);
  const first = BigInt(type) | (BigInt(flags) << 32n);
  return words([first, place, place, place, BigInt(size), BigInt(size), 8n]);
};

/** Encodes a section's header. A section without flags has no address in memory. */
const sectionHeader = (
  nameAt: number,
  { type, flags, bytes, link = 0, entrySize = 0 }: Section,
  at: number,
): Buffer =>
  words([
    ...[nameAt + type * 2 ** 32, flags, flags === 0 ? 0 : at, at, bytes.length].map(BigInt),
    ...[link, 8, entrySize].map(BigInt),
  ]);
