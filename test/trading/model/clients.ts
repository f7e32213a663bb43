import type { PlaceAnswer, PlaceRequest } from "../../../lib/trading/procedures/placing.ts";
import { codeOf, type PlainRequest, placeRequest } from "../../support/place-request.ts";
import { must } from "./violation.ts";
import type { World } from "./world.ts";

export const users = ["alice", "bob"] as const;
/** Both users know the key of the second wallet. */
export const wallets = ["0xA1", "0xB2"] as const;
export const tokens = ["MOON", "DUSK"] as const;

type Placed = { request: PlaceRequest; orderId?: string };

/** Slippage in percent. */
const slippage = 10;

/** Simulates clients that place orders, repeat requests, and mix up keys. */
export class Clients {
  readonly placed: Placed[] = [];
  private readonly world: World;

  constructor(world: World) {
    this.world = world;
  }

  placeNew(): void {
    const { random } = this.world;
    const wallet = random.pick(wallets) as string;
    const userID = wallet === wallets[0] ? "alice" : (random.pick(users) as string);
    this.send({ request: this.request(userID, wallet, this.world.newId("key")) });
  }

  /** Places an order for alice with this highest gas price. Returns its wallet. */
  placeFor(maxGasPrice: bigint, wallet: string = this.world.random.pick(wallets) as string): string {
    this.send({ request: this.request("alice", wallet, this.world.newId("key"), { maxGasPrice }) });
    return wallet;
  }

  /** Places an order for alice with this side and amount, or lets a program place it by a key. */
  trade(wallet: string, side: "buy" | "sell", token: string, amount: bigint, by?: string): void {
    // The API rejects requests with an amount of 0.
    if (amount === 0n) return;
    const fingerprint = `${side} ${amount} ${token}`;
    const changes = { side, token, amount, maxGasPrice: 200n, fingerprint, ...(by && { by }) };
    this.send({ request: this.request("alice", wallet, this.world.newId("key"), changes) });
  }

  private request(
    userID: string,
    wallet: string,
    key: string,
    changes: Partial<PlainRequest> = {},
  ): PlaceRequest {
    const { random, nowMs } = this.world;
    const token = random.pick(tokens) as string;
    const side = random.chance(0.5) ? "buy" : "sell";
    const amount = BigInt(100 + random.below(side === "buy" ? 900 : 40_000));
    return placeRequest({
      wallet,
      orderId: this.world.newId("order"),
      userID,
      side,
      token,
      amount,
      maxGasPrice: random.chance(0.2) ? 25n : 200n,
      gasPreset: random.pick(["slow", "medium", "fast", "turbo"]) ?? "fast",
      isPrivate: random.chance(0.3),
      validUntil: Math.floor(nowMs / 1000) + 30 + random.below(random.chance(0.5) ? 100 : 300),
      key,
      fingerprint: `${side} ${amount} ${token}`,
      slippage,
      nowMs,
      limits: this.world.chainLimits,
      ...changes,
    });
  }

  /** Repeats a request with the key of an earlier order and a new order id from the server. */
  repeat(): void {
    const placed = this.world.random.pick(this.placed);
    if (placed === undefined) return;
    this.world.seen.add("the client repeats");
    this.send({ request: { ...placed.request, orderId: this.world.newId("order") } });
  }

  /** Sends a different request with a used key, from the same user or the other user. */
  reuseKey(isOther: boolean): void {
    const placed = this.world.random.pick(this.placed);
    if (placed === undefined) return;
    const { userID, wallet, key } = placed.request;
    const other = isOther ? (userID === "alice" ? "bob" : "alice") : userID;
    this.world.seen.add(isOther ? "another user's key" : "another body");
    this.send({ request: this.request(other, other === "bob" ? wallets[1] : wallet, key) });
  }

  private send(sent: Placed): void {
    const { request } = sent;
    const before = this.world.table.get("key", request);
    this.placed.push(sent);
    this.world.place(request, (answer) => {
      if (answer === undefined) return;
      this.world.seen.add("refused" in answer ? `refused ${codeOf(answer.refused)}` : "placed");
      if (before !== undefined) checkReplay(before, request, answer);
    });
  }
}

/** A used key must return its order, even after everything else has changed. */
function checkReplay(
  before: { orderId: string; fingerprint: string },
  { fingerprint }: PlaceRequest,
  answer: PlaceAnswer,
): void {
  if (before.fingerprint === fingerprint)
    must(
      "order" in answer && answer.order.intent.orderId === before.orderId,
      "a repeated request was not replayed",
    );
  else
    must(
      "refused" in answer && codeOf(answer.refused) === "IDEMPOTENCY_KEY_REUSED",
      "a key took another body",
    );
}
