import type { Evm } from "../../lib/chains/evm/rules/family.ts";
import { sealedKeyKey, walletKey } from "../../lib/table/wallet-keys.ts";
import "./environment.ts";
import { randomBytes } from "node:crypto";
import {
  DecryptCommand,
  InvalidCiphertextException,
  KMSClient,
  KMSInvalidMacException,
  VerifyMacCommand,
} from "@aws-sdk/client-kms";
import {
  BatchGetCommand,
  DynamoDBDocumentClient,
  PutCommand,
  TransactWriteCommand,
} from "@aws-sdk/lib-dynamodb";
import { mockClient } from "aws-sdk-client-mock";
import { Transaction } from "ethers/transaction";
import { Wallet } from "ethers/wallet";
import { alice } from "trading-terminal-devnet/evm/test-chain";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { handler } from "../../functions/signTransaction/handler.ts";
import { encrypt, pack } from "../../lib/aws/container.ts";
import { clearGas } from "../../lib/chains/evm/rules/fees.ts";
import { swapBy } from "../../lib/chains/evm/rules/intent.ts";
import { emptyEvmLedger } from "../../lib/chains/evm/rules/ledger.ts";
import type { EvmSlot } from "../../lib/chains/evm/rules/slot.ts";
import type { SignAnswer } from "../../lib/orders/effects.ts";
import { counted, openPolicy } from "../../lib/orders/wallet-policy.ts";
import { packed, unpacked } from "../../lib/trading/items/items.ts";
import {
  dayKey,
  ledgerKey,
  policyKey,
  signedBytesKey,
  slotKey,
  tradeKey,
  tradingStopKey,
} from "../../lib/trading/items/keys.ts";
import { readSignAnswer, signPayload } from "../../lib/trading/signing/sign-payload.ts";
import { quietConsole } from "../support/console.ts";
import { attempt } from "../support/lane-states.ts";
import { intent, signedFee, slot, tradeOrder, v2 } from "../support/trading.ts";

const table = mockClient(DynamoDBDocumentClient);
const kms = mockClient(KMSClient);
const logged = quietConsole();

const own = intent({
  wallet: alice.address,
  token: "0x6B175474E89094C44Da98b954EedeAC495271d0F",
  validUntil: Math.floor(Date.now() / 1000) + 600,
});
const planned = slot({ call: swapBy(own, v2, own.amount) }, own);
const { chain, wallet, orderId, userID } = own;
const mac = Buffer.alloc(32, 1).toString("base64");
const request = {
  chain,
  wallet,
  orderId,
  userID,
  place: 7,
  purpose: "swap",
  fees: planned.fees,
  claimed: { intent: own, mac },
} as const;

const secret = Buffer.from(alice.privateKey.slice(2), "hex");
const dataKeyBytes = randomBytes(32);
/** Data key from KMS, which must be wiped. */
let dataKey: Buffer;

const sealed = pack({
  wrappedKey: Buffer.from("wrapped"),
  body: encrypt(secret, dataKeyBytes, { userID, walletId: "w1", network: chain, address: wallet }),
});

const items = (found = planned) => [
  { ...tradeKey(userID, orderId), ...(packed(tradeOrder({ intent: own, mac })) as object) },
  { ...slotKey(own, 7), ...(packed(found) as object) },
  { ...walletKey(userID, chain, wallet), _id: "w1" },
  { ...sealedKeyKey(userID, chain, wallet), walletId: "w1", encryptedPrivateKey: sealed },
];

/** Makes an SDK error whose message quotes a secret. */
const fault = (name: string, httpStatusCode = 400) =>
  Object.assign(new Error(alice.privateKey), { name, $metadata: { httpStatusCode, requestId: "k9" } });

beforeEach(() => {
  table.reset();
  kms.reset();
  table.on(BatchGetCommand).resolves({ Responses: { table: items() } });
  table.on(TransactWriteCommand).resolves({});
  kms.on(VerifyMacCommand).resolves({ MacValid: true, $metadata: { requestId: "k1" } });
  kms.on(DecryptCommand).callsFake(() => {
    dataKey = Buffer.from(dataKeyBytes);
    return { Plaintext: dataKey, $metadata: { requestId: "k2" } };
  });
});

const ask = async (event: unknown = signPayload(request)): Promise<SignAnswer<Evm>> => {
  const answer = readSignAnswer(JSON.parse(JSON.stringify(await handler(event))), request);
  if (answer === undefined) throw new Error("no answer");
  return answer as SignAnswer<Evm>;
};
const signed = (answer: SignAnswer<Evm>) => ("slot" in answer ? answer.raw : "");
const writes = () => table.commandCalls(TransactWriteCommand);

/** Lists every form in which a secret could be written. */
const textsOf = (bytes: Buffer) => [
  bytes.toString("hex"),
  bytes.toString("base64"),
  bytes.toString("base64url"),
  String(BigInt(`0x${bytes.toString("hex")}`)),
  [...bytes].join(),
];

function expectNoSecret(...things: unknown[]): void {
  const text = JSON.stringify(things, (_, value) =>
    typeof value === "bigint" ? String(value) : value instanceof Error ? `${value} ${value.stack}` : value,
  ).toLowerCase();
  for (const part of [secret, dataKeyBytes].flatMap(textsOf))
    expect(text).not.toContain(part.toLowerCase().slice(0, 20));
}

describe("signTransaction", () => {
  it("returns the bytes that it recorded, after four calls to AWS", async () => {
    const answer = await ask();
    const raw = signed(answer);
    expect(Transaction.from(raw)).toMatchObject({ from: wallet, nonce: 7, chainId: 1n, value: own.amount });
    expect(table.calls().map(({ args }) => args[0].constructor.name)).toEqual([
      "BatchGetCommand",
      "TransactWriteCommand",
    ]);
    expect(kms.calls().map(({ args }) => args[0].constructor.name)).toEqual([
      "VerifyMacCommand",
      "DecryptCommand",
    ]);
    expect(JSON.stringify(writes()[0]?.args[0].input)).toContain(raw);
    expect(kms.commandCalls(VerifyMacCommand)[0]?.args[0].input).toMatchObject({
      KeyId: process.env.MAC_KEY_ID,
    });
    expect(kms.commandCalls(DecryptCommand)[0]?.args[0].input).toMatchObject({
      KeyId: process.env.KEY_ID,
      EncryptionContext: { userID, walletId: "w1", network: chain, address: wallet },
    });
    expect(logged()).toEqual([{ event: "signTransaction signed", orderId: orderId, awsRequestId: "k2" }]);
  });

  it("verifies the MAC of the claimed order while it reads the stored one", async () => {
    const verified = Promise.withResolvers<void>();
    kms.on(VerifyMacCommand).callsFake(() => {
      verified.resolve();
      return { MacValid: true, $metadata: {} };
    });
    table.on(BatchGetCommand).callsFake(async () => {
      await verified.promise;
      return { Responses: { table: items() } };
    });
    expect(await ask()).toHaveProperty("raw");
  });

  it("verifies the MAC of the stored order for a run of an earlier version, which claims none", async () => {
    const { claimed: _, ...earlier } = request;
    expect(await ask(signPayload(earlier))).toHaveProperty("raw");
    kms.on(VerifyMacCommand).resolves({ MacValid: false, $metadata: {} });
    expect(await ask(signPayload(earlier))).toEqual({ refused: "the intent was not made by placeOrder" });
  });

  it("refuses an invalid order even if the MAC of the claimed one cannot be verified", async () => {
    kms.on(VerifyMacCommand).rejects(fault("AccessDeniedException"));
    const [order, ...others] = items();
    table.on(BatchGetCommand).resolves({ Responses: { table: [{ ...order, amount: "much" }, ...others] } });
    expect(await ask()).toEqual({ refused: "the stored order is invalid" });
  });

  it("signs the same bytes each time, identical to those of ethers", async () => {
    const raw = signed(await ask());
    expect(signed(await ask())).toBe(raw);
    const { to, value, data, gasLimit, maxFeePerGas, maxPriorityFeePerGas } = Transaction.from(raw);
    const terms = { type: 2, chainId: 1, nonce: 7, gasLimit, maxFeePerGas, maxPriorityFeePerGas };
    expect(await new Wallet(alice.privateKey).signTransaction({ ...terms, to, value, data })).toBe(raw);
  });

  it("returns and records the same bytes for a repeated request, and counts no amount twice", async () => {
    const answer = await ask();
    if (!("slot" in answer)) return expect.fail("nothing was signed");
    table.on(BatchGetCommand).resolves({ Responses: { table: items(answer.slot) } });
    table.resetHistory();
    expect(await ask()).toEqual(answer);
    const [{ hash } = { hash: "" }] = answer.slot.attempts;
    const expiresAt = own.validUntil + 7 * 86_400;
    const item = { chain, wallet, hash, raw: answer.raw, expiresAt };
    expect(table.calls()).toHaveLength(2);
    expect(table.commandCalls(PutCommand).map(({ args }) => args[0].input)).toEqual([
      { TableName: "table", Item: { ...signedBytesKey(item), ...item } },
    ]);
  });

  it("refuses a private key that belongs to another address, and wipes it", async () => {
    const other = randomBytes(32);
    const body = encrypt(other, dataKeyBytes, { userID, walletId: "w1", network: chain, address: wallet });
    const encryptedPrivateKey = pack({ wrappedKey: Buffer.from("wrapped"), body });
    const key = { ...sealedKeyKey(userID, chain, wallet), walletId: "w1", encryptedPrivateKey };
    table.on(BatchGetCommand).resolves({ Responses: { table: [...items().slice(0, 3), key] } });
    expect(await ask()).toEqual({ refused: "the wallet's key is of another address" });
    expect(writes()).toEqual([]);
    expectNoSecret(logged());
    expect(JSON.stringify(logged())).not.toContain(other.toString("hex"));
  });

  it("logs postponed requests with their reason, and raises the refusal alarm after several in a row", async () => {
    const late = { ...own, orderId: "LATE".padEnd(26, "0"), validUntil: 1 };
    const order = {
      ...tradeKey(userID, late.orderId),
      ...(packed(tradeOrder({ intent: late, mac })) as object),
    };
    const item = {
      ...slotKey(late, 7),
      ...(packed(slot({ call: swapBy(late, v2, late.amount) }, late)) as object),
    };
    // A signature ends the series of postponed requests from earlier tests.
    await ask();
    table.on(BatchGetCommand).resolves({ Responses: { table: [order, item, ...items().slice(2)] } });
    const again = signPayload({ ...request, orderId: late.orderId, claimed: { intent: late, mac } });
    for (let count = 0; count < 5; count++)
      expect(await ask(again)).toEqual({ later: "the order is too old" });
    const note = { orderId: late.orderId, awsRequestId: "k1" };
    const postponed = { event: "signTransaction postponed", reason: "the order is too old", ...note };
    const reason = "too many requests of one wallet in a row were postponed";
    const notes = logged();
    expect(notes.filter((line) => (line as { event: string }).event === postponed.event)).toEqual(
      Array(5).fill(postponed),
    );
    expect(notes).toContainEqual({ event: "signTransaction refused", reason, ...note });
    expect(notes).toHaveLength(7);
  });

  it("continues a series of postponed requests when the same bytes are signed again", async () => {
    const answer = await ask();
    if (!("slot" in answer)) return expect.fail("nothing was signed");
    const whileStopped = [tradingStopKey(chain), ...items(answer.slot)];
    for (let count = 0; count < 5; count++) {
      table.on(BatchGetCommand).resolves({ Responses: { table: items(answer.slot) } });
      expect(await ask()).toEqual(answer);
      table.on(BatchGetCommand).resolves({ Responses: { table: whileStopped } });
      expect(await ask()).toEqual({ later: "trading is stopped" });
    }
    const reason = "too many requests of one wallet in a row were postponed";
    expect(logged()).toContainEqual(expect.objectContaining({ event: "signTransaction refused", reason }));
  });

  it("refuses to sign if the table rejects the record of the signature", async () => {
    table.on(TransactWriteCommand).rejects(fault("ValidationException"));
    expect(await ask()).toEqual({ refused: "the stored data is invalid" });
    expect(logged()).toContainEqual(expect.objectContaining({ event: "signTransaction refused", orderId }));
    expectNoSecret(logged());
  });

  describe("clearing a nonce after the day's limit of network fees is reached", () => {
    const coin = 10n ** 18n;
    const sent = { ...attempt(planned.fees), hash: "0x1" };
    const ledger = { ...emptyEvmLedger(own), fees: { 7: signedFee(planned.fees) }, revision: 1 };
    const count = counted(own, undefined, { adds: coin, fees: coin, nowMs: Date.now() });
    const price = signedFee(planned.fees).most / clearGas + 1n;
    const clear = {
      ...request,
      purpose: "clear",
      fees: { maxFeePerGas: price, maxPriorityFeePerGas: price },
    } as const;
    const answerUnder = (
      policy: unknown,
      { slot, clearGas }: { slot?: Pick<EvmSlot, "attempts">; clearGas?: bigint } = {},
    ) => {
      const stored = [
        ...items({ ...planned, state: "signed", attempts: [sent], ...slot }),
        { ...ledgerKey(orderId), ...(packed(ledger) as object) },
        { ...dayKey({ ...own, day: count.day }), ...(packed(count) as object) },
        { ...policyKey(own), ...(packed({ userID, chain, wallet, policy, revision: 1 }) as object) },
      ];
      table.on(BatchGetCommand).resolves({ Responses: { table: stored } });
      return handler(signPayload({ ...clear, ...(clearGas !== undefined && { clearGas }) }));
    };

    it("signs the clear only if a policy raises the limit", async () => {
      const raised = { ...openPolicy, maxNetworkFeesPerDay: 2n * coin };
      expect(await answerUnder(raised)).toHaveProperty("slot");
      expect(await answerUnder({ ...raised, maxNetworkFeesPerDay: coin })).toHaveProperty("later");
    });

    it("signs the gas that is asked for, and gives the same bytes when it is asked again for another amount", async () => {
      const raised = { ...openPolicy, maxNetworkFeesPerDay: 2n * coin };
      const first = (await answerUnder(raised, { clearGas: 30_000n })) as { slot: object; raw: string };
      const { attempts } = unpacked(first.slot) as EvmSlot;
      expect(attempts.at(-1)).toMatchObject({ purpose: "clear", gasLimit: 30_000n });
      const again = await answerUnder(raised, { clearGas: 25_000n, slot: { attempts } });
      expect(again).toHaveProperty("raw", first.raw);
      expect(await answerUnder(raised, { clearGas: 42_001n })).toEqual({
        refused: "the gas limit is too high",
      });
    });

    it("postpones the clear if the policy is invalid", async () => {
      expect(await answerUnder("none")).toEqual({ later: "the limit forbids it: networkFeesPerDay" });
    });
  });

  it("wipes the wallet's key and the data key, and leaves no copy", async () => {
    const wiped: Buffer[] = [];
    const { fill } = Buffer.prototype;
    const spy = vi.spyOn(Buffer.prototype, "fill").mockImplementation(function (
      this: Buffer,
      value: unknown,
    ) {
      if (this.equals(secret)) wiped.push(this);
      return fill.call(this, value as number);
    });
    const answer = await ask();
    spy.mockRestore();
    expect(dataKey).toEqual(Buffer.alloc(32));
    expect(wiped).toEqual([Buffer.alloc(32)]);
    expectNoSecret(answer, logged(), ...writes().map(({ args }) => args[0].input));
  });

  it.each(["ThrottlingException", "KMSInternalException", "TimeoutError", "KMSInvalidStateException"])(
    "postpones a signature without an alarm if KMS has a temporary %s",
    async (name) => {
      const status = { ThrottlingException: 400, KMSInvalidStateException: 409 }[name] ?? 500;
      for (const command of [VerifyMacCommand, DecryptCommand]) {
        kms.on(command as typeof DecryptCommand).rejects(fault(name, status));
        const answer = await ask();
        expect(answer).toEqual({ later: "a call to AWS has failed" });
        expectNoSecret(answer, logged());
        kms.on(VerifyMacCommand).resolves({ MacValid: true, $metadata: {} });
      }
      const warned = { operation: "signTransaction", error: name, awsRequestId: "k9" };
      expect(logged()).toEqual([expect.objectContaining(warned), expect.objectContaining(warned)]);
      expect(vi.mocked(console.error)).not.toHaveBeenCalled();
      expect(writes()).toEqual([]);
    },
  );

  it("throws, and logs the name of the denied call's error", async () => {
    kms.on(DecryptCommand).rejects(fault("AccessDeniedException"));
    const error = await handler(signPayload(request)).catch((thrown: unknown) => thrown);
    expect(error).toEqual(new Error("signTransaction failed"));
    expect(logged()).toEqual([
      expect.objectContaining({ error: "AccessDeniedException", awsRequestId: "k9" }),
    ]);
    expectNoSecret(error, logged());
  });

  const $metadata = { requestId: "k3" };
  const message = alice.privateKey;

  it.each<[string, () => void, string, string]>([
    [
      "the MAC is not the placer's",
      () => kms.on(VerifyMacCommand).rejects(new KMSInvalidMacException({ $metadata, message })),
      "the intent was not made by placeOrder",
      "k3",
    ],
    [
      "the key is another wallet's",
      () => kms.on(DecryptCommand).rejects(new InvalidCiphertextException({ $metadata, message })),
      "the wallet's key does not open",
      "k3",
    ],
    [
      "the key was sealed under another data key",
      () => kms.on(DecryptCommand).resolves({ Plaintext: randomBytes(32), $metadata }),
      "the wallet's key does not open",
      "k3",
    ],
  ])("refuses to sign if %s, and logs the order", async (_, set, reason, awsRequestId) => {
    set();
    const answer = await ask();
    expect(answer).toEqual({ refused: reason });
    expect(logged()).toEqual([{ event: "signTransaction refused", orderId: orderId, reason, awsRequestId }]);
    expect(writes()).toEqual([]);
    expectNoSecret(answer, logged());
  });

  const event = signPayload(request) as Record<string, unknown>;

  it.each<[string, unknown]>([
    ["nothing", undefined],
    ["no object", "swap"],
    ["a field too few", { ...event, nonce: undefined }],
    ["a field too many", { ...event, gasLimit: 1 }],
    ["another chain", { ...event, chain: "sol" }],
    ["no address", { ...event, wallet: "0xf39F" }],
    ["an order's id of another form", { ...event, orderId: "a#b" }],
    ["a negative nonce", { ...event, nonce: -1 }],
    ["half a nonce", { ...event, nonce: 0.5 }],
    ["another purpose", { ...event, purpose: "transfer" }],
    ["fees that are numbers", { ...event, fees: { maxFeePerGas: 1, maxPriorityFeePerGas: 1 } }],
    [
      "fees that are no amounts",
      { ...event, fees: { maxFeePerGas: { bigint: "1e9" }, maxPriorityFeePerGas: 1 } },
    ],
    ["negative fees", { ...event, fees: packed({ maxFeePerGas: -1n, maxPriorityFeePerGas: 1n }) }],
  ])("refuses a request with %s, and makes no calls", async (_, bad) => {
    const reason = "the request cannot be read";
    expect(await handler(bad)).toEqual({ refused: reason });
    expect([table.calls(), kms.calls()]).toEqual([[], []]);
    expect(logged()).toEqual([{ event: "signTransaction refused", reason }]);
  });

  it("postpones a signature if another write happens first", async () => {
    table.on(TransactWriteCommand).rejects(fault("TransactionInProgressException"));
    expect(await ask()).toEqual({ later: "a call to AWS has failed" });
  });
});
