import { availableParallelism, cpus, totalmem } from "node:os";
import { type Outcome, processorTimePerMessage } from "./outcome.ts";
import type { Spread } from "./statistics.ts";
import { figure, textTable } from "./text-table.ts";

/** Measurements with this many clients. */
export type Run = { clients: number; service: Outcome; bare: Outcome; settings: Spread };

export function machine(): string {
  const gigabytes = Math.round(totalmem() / 2 ** 30);
  return `${availableParallelism()} CPUs (${cpus()[0]?.model ?? "unknown"}), ${gigabytes} GB, Node ${process.version}, ${process.platform}`;
}

const head = ["clients", "through", "ticks", "superseded", "late", "lost", "messages/s"];
const latencyHead = ["p50 ms", "p95 ms", "p99 ms", "max ms"];

const latencyCells = ({ p50, p95, p99, max }: Spread) => [p50, p95, p99, max].map(figure);

const row = (clients: number, through: string, outcome: Outcome): string[] => [
  `${clients}`,
  through,
  `${outcome.complete}/${outcome.sent}`,
  `${outcome.superseded}`,
  `${outcome.late}`,
  `${outcome.lost}`,
  figure(outcome.messagesPerSecond),
  ...latencyCells(outcome.latency),
  figure(processorTimePerMessage(outcome)),
];

function ratio(service: Outcome, bare: Outcome): string[] {
  const times = (of: (outcome: Outcome) => number) => `x ${figure(of(service) / of(bare))}`;
  return [
    "",
    "ratio",
    "",
    "",
    "",
    "",
    times(({ messagesPerSecond }) => messagesPerSecond),
    ...(["p50", "p95", "p99", "max"] as const).map((name) => times(({ latency }) => latency[name])),
    times(processorTimePerMessage),
  ];
}

/** Formats prices: a row for the service, one for the plain broadcast, and their ratio. */
export const fanOutTable = (runs: readonly Run[]): string =>
  textTable(
    [...head, ...latencyHead, "CPU us/message"],
    runs.flatMap(({ clients, service, bare }) => [
      row(clients, "service", service),
      row(clients, "bare ws", bare),
      ratio(service, bare),
    ]),
  );

export const settingsTable = (runs: readonly Run[]): string =>
  textTable(
    ["clients connected", ...latencyHead],
    runs.map(({ clients, settings }) => [`${clients}`, ...latencyCells(settings)]),
  );

/**
 * Formats the service's processor time by use, in descending order, and its ratio to the plain broadcast, measured in
 * the same minute on the same processors.
 */
export function processorTimeTable(runs: readonly Run[]): string {
  const uses = new Set(runs.flatMap(({ service }) => [...(service.processorTime?.keys() ?? [])]));
  const perMessage = ({ service }: Run, use: string) =>
    (1000 * (service.processorTime?.get(use) ?? 0)) / service.messages;
  const most = (use: string) => Math.max(...runs.map((run) => perMessage(run, use)));
  const cells = (time: (run: Run) => number) =>
    runs.flatMap((run) => [figure(time(run)), `x ${figure(time(run) / processorTimePerMessage(run.bare))}`]);
  return textTable(
    ["CPU us/message", ...runs.flatMap(({ clients }) => [`${clients} clients`, "of bare ws"])],
    [
      ...[...uses]
        .filter((use) => most(use) >= 0.1)
        .toSorted((one, other) => most(other) - most(one))
        .map((use) => [use === "server" ? "runner" : use, ...cells((run) => perMessage(run, use))]),
      ["bare ws", ...cells(({ bare }) => processorTimePerMessage(bare))],
    ],
  );
}
