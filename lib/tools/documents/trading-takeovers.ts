import type { Takeover } from "./takeover.ts";

/** Takeovers of the functions that place, fire, sign and watch orders. */
export const tradingTakeovers: readonly Takeover[] = [
  {
    functions: ["readBalances"],
    rights: { reads: "all unprotected", uses: "invoke executeOrders" },
    atMost: "read the data of all users; wake lanes, which decide only by the chain",
  },
  {
    functions: ["quoteOrder"],
    rights: { reads: "all unprotected, POLICY, PROGRAMKEYS, SIGNED, TRADING", uses: "invoke executeOrders" },
    atMost:
      "read the data of all users, and the signer's ledgers; wake lanes, which decide only by the chain",
  },
  {
    functions: ["placeOrder"],
    rights: {
      reads: "all unprotected, POLICY, PROGRAMKEYS, SIGNED, TRADING, CANCELLED, RESTING, PRESETS",
      writes: "USEDKEYS, TRADES, LANE, LANES, RESTING, TRIGGERS",
      uses: "authenticate orders; invoke executeOrders, watchTriggers",
    },
    atMost:
      "place any order in the name of anyone, such as a sale for next to nothing, within the policies and the signer's own limits but beyond those of program keys, and burn a day's network fees of each wallet; place resting orders, which each of their users is sent; change and end resting orders, see their prices, and sell at once by false marks of trailing stops; delay orders, also by lanes that it keeps to itself, lie about them, let them replace transactions that a wallet's owner has sent elsewhere, and answer repeated requests with others",
  },
  {
    functions: ["cancelOrder"],
    rights: {
      reads: "all unprotected, RESTING",
      writes: "TRADES, CANCELLED, RESTING, TRIGGERS",
      deletes: "RESTING, TRIGGERS",
      uses: "invoke executeOrders",
    },
    atMost:
      "cancel any order, or none; see the prices of resting orders, keep these from firing, and sell at once by false marks of trailing stops; keep users from trading until an operator corrects the time up to which their orders are cancelled; delay orders and lie about them",
  },
  {
    functions: ["cancelOrders"],
    rights: {
      reads: "all unprotected, RESTING",
      writes: "TRADES, CANCELLED, RESTING, TRIGGERS",
      deletes: "RESTING, TRIGGERS",
      uses: "invoke executeOrders",
    },
    atMost: "the same as cancelOrder",
  },
  {
    functions: ["executeOrders"],
    rights: {
      reads: "all unprotected, CANCELLED, POLICY, SIGNED, BYTES, TRADING, ENDED",
      writes: "TRADES, LANE, LANES, HELD, ENDED, EARNED",
      deletes: "TRADES, LANE, LANES, HELD",
      uses: "invoke signTransaction, readChains",
    },
    atMost:
      "delay orders, also slices until their turn is over, lie about them, waste fees, and show transactions to others before they are in a block; say that children of resting orders are dead, which fires nothing, because fireOrders looks for itself; keep exits from resting, suspend them or end them, by false records of buys and positions, but not move their prices or amounts, which fireOrders reads from receipts; make up fills that earn users XP and points, within the caps of a day, and trading days of a streak",
  },
  {
    functions: ["fireOrders"],
    rights: {
      reads: "all unprotected, RESTING, TRIGGERS, POLICY, PROGRAMKEYS, SIGNED, TRADING, ENDED, CANCELLED",
      writes: "RESTING, TRIGGERS, TRADES, LANE, LANES",
      deletes: "RESTING, TRIGGERS",
      uses: "authenticate children; invoke executeOrders",
    },
    atMost:
      "fire each resting order early, late or never, down to its worst price and within its fees, exits only of buys that the signer knows, each slice once and in its turn, trailing stops by false marks; end resting orders, which their users see; read at which prices orders fire; forge orders and positions that clients see; make other orders wait, or end them before they are signed",
  },
  {
    functions: ["signTransaction"],
    rights: {
      reads: "all unprotected, SIGNED, ENDED, CANCELLED, POLICY, PROGRAMKEYS, TRADING, SEALED",
      writes: "LANE, SIGNED, BYTES",
      uses: "decrypt wallets; check orders; check children",
    },
    atMost:
      "sign anything; read every private key on the chains that trade and pass it on in its answers and in the table, without a route to the internet",
  },
  {
    functions: ["readChains"],
    rights: { reads: "all unprotected", writes: "WATCHERS", uses: "invoke executeOrders" },
    atMost:
      "wake no lane or all of them, and keep other runs from reading, so that outcomes arrive up to five minutes late",
  },
  {
    functions: ["watchTriggers"],
    rights: { reads: "all unprotected, TRIGGERS", writes: "WATCHERS", uses: "invoke fireOrders" },
    atMost:
      "read at which prices orders fire, which is worth hunting for; hand over no order or all of them, and keep other runs from watching, so that orders fire up to five minutes late",
  },
  {
    functions: ["sweepLanes"],
    rights: { reads: "all unprotected", uses: "invoke executeOrders, readMarkets" },
    atMost:
      "wake no lane, or all of them, so that interrupted orders wait; start readers of markets that nobody wants, which costs hosts",
  },
];
