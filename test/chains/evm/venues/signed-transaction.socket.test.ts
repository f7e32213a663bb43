import { SigningKey } from "ethers/crypto";
import { Transaction } from "ethers/transaction";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { signAndWipe } from "../../../../lib/chains/evm/venues/signed-transaction.ts";

const terms = {
  chainId: 8453,
  nonce: 7,
  gasLimit: 134_415n,
  fees: { maxFeePerGas: 1_750_000_000n, maxPriorityFeePerGas: 1_000_000_000n },
};
const call = { to: "0x5FbDB2315678afecb367f032d93F642f64180aa3", value: 5n, data: "0x095ea7b3" };

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
const hex = (values: Uint8Array) => `0x${Buffer.from(values).toString("hex")}`;

describe("signAndWipe", () => {
  it("signs every transaction with the same bytes as ethers", () => {
    const transactions = fc.record({
      key: bytes(32).filter((key) => key[0] !== 0xff && key.some((byte) => byte !== 0)),
      chainId: fc.constantFrom(1, 56, 8453, 43114),
      nonce: fc.nat(),
      gasLimit: fc.bigInt(0n, 2n ** 64n),
      tip: fc.bigInt(0n, 2n ** 64n),
      base: fc.bigInt(0n, 2n ** 64n),
      value: fc.oneof(fc.constant(0n), fc.bigInt(0n, 2n ** 255n)),
      data: fc.uint8Array({ maxLength: 300 }),
      to: bytes(20),
    });
    fc.assert(
      fc.property(transactions, ({ key, chainId, nonce, gasLimit, tip, base, value, data, to }) => {
        const fees = { maxFeePerGas: base + tip, maxPriorityFeePerGas: tip };
        const theirs = Transaction.from({
          type: 2,
          chainId: chainId,
          nonce,
          gasLimit,
          ...fees,
          value,
          to: hex(to),
          data: hex(data),
        });
        theirs.signature = new SigningKey(hex(key)).sign(theirs.unsignedHash);
        const ours = signAndWipe(
          Uint8Array.from(key),
          { to: hex(to), value, data: hex(data) },
          { chainId, nonce, gasLimit, fees },
        );
        expect(ours).toEqual({ hash: theirs.hash, raw: theirs.serialized });
      }),
      { numRuns: 50 },
    );
  });

  it("wipes the secret after signing", () => {
    const secret = Buffer.alloc(32, 7);
    signAndWipe(secret, call, terms);
    expect(secret).toEqual(Buffer.alloc(32));
  });

  it.each([
    ["the secret is not a key", Buffer.alloc(32, 0xff), call],
    ["the transaction has no bytes", Buffer.alloc(32, 7), { ...call, data: "0x0" }],
  ])("wipes the secret if %s, and keeps it out of the error", (_, secret, wrong) => {
    const [before] = [secret.toString("hex")];
    let message = "";
    try {
      signAndWipe(secret, wrong, terms);
    } catch (error) {
      message = `${error} ${(error as Error).stack}`;
    }
    expect(message).not.toBe("");
    expect(message).not.toContain(before.slice(0, 8));
    expect(secret).toEqual(Buffer.alloc(32));
  });
});
