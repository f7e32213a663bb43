import { useMemo, useState } from "preact/hooks";
import type { Network, Order, RestData, Terminal } from "trading-terminal-client";
import { useDesk, useReading } from "../desk.ts";
import { plus } from "../exact.ts";
import { hasFill } from "../fills-csv.ts";
import type { Failure } from "../format.ts";
import { allOf } from "../order-pages.ts";
import { type Closes, closeKey } from "./periods.ts";
import type { Coins } from "./worth.ts";

type ValuedPosition = RestData<"listPositions">["positions"][number];

type Records = { orders: readonly Order[]; positions: readonly ValuedPosition[] };

/** Number of records of a kind beyond which the page does not read them, because a browser would run out of memory. */
const most = 50_000;

async function readRecords(
  terminal: Terminal,
  signal: AbortSignal,
  onRead: (count: number) => void,
): Promise<{ records?: Records; problem?: Failure | undefined }> {
  const ordersRead = await allOf(
    terminal.pages("listOrders", { query: { limit: 100 }, signal }),
    (page) => page.orders,
    { onRead, most },
  );
  const { data: orders } = ordersRead;
  if (orders === undefined) return { problem: ordersRead.error };
  const positionsRead = await allOf(
    terminal.pages("listPositions", { query: { limit: 100, valued: true }, signal }),
    (page) => page.positions,
    { onRead: (count) => onRead(orders.length + count), most },
  );
  const { data: positions } = positionsRead;
  return positions === undefined ? { problem: positionsRead.error } : { records: { orders, positions } };
}

/** Adds records of the stream to those that were read. The stream has the newest versions. */
function withStreamed<Read, Item extends Read>(
  read: readonly Read[],
  streamed: readonly Item[],
  idOf: (item: Read) => string,
): Read[] {
  const known = new Set(streamed.map(idOf));
  return [...streamed, ...read.filter((item) => !known.has(idOf(item)))];
}

/** Reads all orders and positions of the user, which are more than the stream has. */
export function useRecords() {
  const { terminal, state } = useDesk();
  const [attempt, setAttempt] = useState(0);
  const [count, setCount] = useState(0);
  const [read, setRead] = useState<{ records?: Records; problem?: Failure | undefined }>({});
  useReading(
    (signal) => {
      setCount(0);
      setRead((before) => ({ ...before, problem: undefined }));
      const onRead = (sum: number) => !signal.aborted && setCount(sum);
      void readRecords(terminal, signal, onRead).then((done) => !signal.aborted && setRead(done));
    },
    [attempt],
  );
  const { records, problem } = read;
  const [streamedOrders, streamedPositions] = [state?.orders, state?.positions];
  const orders = useMemo(
    () => records && withStreamed(records.orders, streamedOrders ?? [], ({ orderId }) => orderId),
    [records, streamedOrders],
  );
  const positions = useMemo(
    () => records && withStreamed(records.positions, streamedPositions ?? [], ({ positionId }) => positionId),
    [records, streamedPositions],
  );
  return {
    orders,
    positions,
    /** Positions with the prices that the service had stored when they were read. */
    listed: records?.positions ?? [],
    count,
    problem,
    again: () => setAttempt((before) => before + 1),
  };
}

/** Reads the coin in all wallets of a chain. */
async function readCoins(
  terminal: Terminal,
  chain: Network,
  wallets: readonly string[],
  signal: AbortSignal,
): Promise<Coins> {
  const of = ({ balances }: RestData<"readBalances">) =>
    balances.flatMap(({ token, amount }) => (token === "native" ? [amount] : [])).reduce(plus, "0");
  const { data, error } = await terminal.readBalances({ query: { chain }, signal });
  if (data !== undefined) return { amount: of(data) };
  // The wallets have too many balances for one answer.
  if (error.code !== "INVALID_REQUEST") return { problem: error.message };
  let sum = "0";
  for (const wallet of wallets) {
    const each = await terminal.readBalances({ query: { chain, wallet }, signal });
    if (each.data === undefined) return { problem: each.error.message };
    sum = plus(sum, of(each.data));
  }
  return { amount: sum };
}

/** Reads the coin in all wallets, and again after each fill. */
export function useCoins() {
  const { terminal, state } = useDesk();
  const [attempt, setAttempt] = useState(0);
  const [coins, setCoins] = useState<ReadonlyMap<Network, Coins>>(new Map());
  const wallets = state?.wallets ?? [];
  const fills = (state?.orders ?? []).filter(hasFill).length;
  useReading(
    (signal) => {
      for (const chain of new Set(wallets.map(({ network }) => network))) {
        const own = wallets.filter(({ network }) => network === chain);
        const addresses = own.map(({ generatedWalletAddress }) => generatedWalletAddress);
        void readCoins(terminal, chain, addresses, signal).then(
          (read) => !signal.aborted && setCoins((before) => new Map(before).set(chain, read)),
        );
      }
    },
    [state?.wallets, fills, attempt],
  );
  return { coins, again: () => setAttempt((before) => before + 1) };
}

/** Number of days whose closing prices are read. */
const mostDays = 1000;

/** Reads the closing price of each day of the coins of these chains, in dollars. Undefined until all are read. */
export function useCloses(chains: readonly Network[]): Closes | undefined {
  const { terminal } = useDesk();
  const [closes, setCloses] = useState<Closes>();
  useReading(
    (signal) => {
      if (chains.length === 0) return;
      const query = { interval: "1d", currency: "usd", limit: mostDays } as const;
      const read = chains.map(async (chain) => {
        const { data } = await terminal.listCandles({ path: { chain, token: "native" }, query, signal });
        return (data?.candles ?? []).map(({ time, close }) => [closeKey(chain, time), close] as const);
      });
      void Promise.all(read).then((all) => !signal.aborted && setCloses(new Map(all.flat())));
    },
    [chains.join()],
  );
  return closes;
}
