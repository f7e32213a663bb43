import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { useDesk } from "../desk.ts";
import { amount, coinOf } from "../format.ts";
import { loadedPart } from "../loaded-part.tsx";
import { nothingToSell } from "../nothing-to-sell.ts";
import type { ChartProps } from "./candle-chart.tsx";
import { type Move, MoveDialog, MoveNews } from "./move-dialog.tsx";
import type { Moved } from "./move-order.ts";
import { linesOf, movedOrder } from "./order-lines.ts";

type MovableProps = Omit<ChartProps, "lines" | "onMove"> & {
  /** Takes the place of the chart while there are no bars. */
  children: ComponentChildren;
};

const loadCharts = () => import("../charts.ts");

const LoadedChart = loadedPart("chart", "empty chart", async () => (await loadCharts()).CandleChart);

/** A chart whose lines of resting orders can be moved, after one confirmation. */
export function MovableChart({ children, ...props }: MovableProps) {
  const { state, ticket, placing, balances } = useDesk();
  const { chain, token } = ticket;
  const [move, setMove] = useState<Move>();
  const [news, setNews] = useState<{ moved: Moved; move: Move }>();
  const lines = useMemo(
    () =>
      linesOf(state?.orders ?? [], { chain, token }, Date.now()).map((line) => ({
        ...line,
        lack: nothingToSell(line.order, state?.positions ?? [], balances),
      })),
    [state?.orders, state?.positions, balances, chain, token],
  );

  // Loads the script while the candles are read. If that fails, the chart says so.
  useEffect(() => void loadCharts().catch(() => {}), []);

  async function placeAgain({ line, price }: Move) {
    const text = `The order at ${amount(price)} ${coinOf[line.order.chain]}`;
    const outcome = await placing.place(movedOrder(line, price, Date.now()), text);
    if (outcome !== "refused") setNews(undefined);
  }
  return (
    <>
      {props.bars.length === 0 ? (
        children
      ) : (
        <LoadedChart {...props} lines={lines} onMove={(line, price) => setMove({ line, price })} />
      )}
      {news && (
        <MoveNews
          moved={news.moved}
          onPlace={news.moved.result === "gone" ? () => void placeAgain(news.move) : undefined}
          onClose={() => setNews(undefined)}
        />
      )}
      {move && (
        <MoveDialog
          move={move}
          onLeave={() => setMove(undefined)}
          onMoved={(moved) => {
            setMove(undefined);
            setNews(moved.result === "moved" ? undefined : { moved, move });
          }}
        />
      )}
    </>
  );
}
