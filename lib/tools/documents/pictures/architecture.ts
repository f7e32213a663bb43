import { type OperationName, operations, subjectOf } from "../../../operations/operations.ts";
import { box, caption, line, picture } from "./svg.ts";

type Point = readonly [x: number, y: number];

const names = Object.keys(operations) as OperationName[];
const isOpener = (name: OperationName) => operations[name].opensWallets;

/** Tasks of the functions that can open wallets. */
const tasks: Partial<Record<OperationName, string>> = {
  signTransaction: "signs what users ordered",
  sealExport: "seals keys for their owners",
};

const openers = names.filter(isOpener).map((name) => `${name} ${tasks[name] ?? ""}`);

const parts = [
  part(20, 56, 300, 60, "Clients", "the console, bots, apps"),
  part(400, 56, 180, 60, "OIDC issuer", "keys of tokens"),
  part(600, 56, 180, 60, "Exchanges", "prices of coins"),
  part(800, 56, 180, 60, "Hosts of chains", "blocks, quotes, transactions"),
  part(20, 160, 300, 60, "CloudFront", "one address for APIs and console"),
  part(400, 160, 180, 60, "S3", "files of the console"),
  part(720, 270, 260, 78, "Execution engines", "trade elsewhere, and record orders", "and positions here"),
  part(20, 270, 145, 78, "REST API", "a key for each user,", "on a usage plan"),
  part(175, 270, 145, 78, "WebSocket API", "one connection", "for all changes"),
  part(
    20,
    400,
    640,
    128,
    "Functions, by subject",
    "each role has its own rights; two authorizers admit callers",
  ),
  part(720, 400, 260, 128, "A network without the internet", "only these decrypt private keys:", ...openers),
  part(20, 590, 300, 78, "DynamoDB, one table", "its change stream starts publishChanges", "and mirrorPlans"),
  part(360, 590, 300, 78, "KMS keys", "a data key for each wallet,", "MACs of orders"),
  part(790, 590, 190, 78, "CloudWatch", "alarms and the dashboard,", "from logs and metrics"),
];

const arrows = [
  arrow("HTTP, WebSocket", [180, 143], [170, 116], [170, 160]),
  arrow("/console/", [328, 182], [320, 190], [400, 190]),
  arrow("requests", [102, 250], [92, 220], [92, 270]),
  arrow("/stream", [257, 250], [247, 220], [247, 270]),
  arrow("", [0, 0], [92, 348], [92, 400]),
  arrow("", [0, 0], [225, 348], [225, 400]),
  arrow("pushes", [280, 379], [270, 400], [270, 348]),
  arrow("over the internet", [630, 250], [620, 400], [620, 140], [490, 140], [490, 116]),
  arrow("", [0, 0], [620, 140], [690, 140], [690, 116]),
  arrow("", [0, 0], [690, 140], [890, 140], [890, 116]),
  arrow("", [0, 0], [720, 309], [650, 309], [650, 400]),
  arrow("orders", [667, 456], [660, 464], [720, 464]),
  arrow("", [0, 0], [92, 528], [92, 590]),
  arrow("changes", [235, 564], [225, 590], [225, 528]),
  arrow("new data keys", [520, 564], [510, 528], [510, 590]),
  arrow("decrypts", [668, 621], [740, 528], [740, 629], [660, 629]),
];

const head =
  '<defs><marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path d="M0 0 8 4 0 8z" class="soft"/></marker></defs>';

/** Draws the parts of the system, with the numbers of functions from the table of operations. */
export const architecturePicture = (): string =>
  picture("The parts of the system, and what passes between them", 1000, 690, [
    head,
    ...parts.flat(),
    ...subjects().flatMap(([subject, count], index) => {
      const x = 34 + (index % 4) * 153;
      const y = 456 + Math.floor(index / 4) * 34;
      return [
        box({ x, y, width: 145, height: 27 }, "page", 4),
        caption(subject, x + 10, y + 18, "ink"),
        caption(String(count), x + 135, y + 18, "soft", "end"),
      ];
    }),
    ...arrows.flat(),
  ]);

/** Draws a part of the system, with a few words about it. */
function part(
  x: number,
  y: number,
  width: number,
  height: number,
  name: string,
  ...notes: string[]
): string[] {
  return [
    box({ x, y, width, height }, "area", 6),
    caption(name, x + 14, y + 25, "ink"),
    ...notes.map((note, index) => caption(note, x + 14, y + 44 + index * 18, "soft small")),
  ];
}

/** Draws an arrow through these points, and its words at a place of their own. */
function arrow(words: string, [x, y]: Point, ...points: Point[]): string[] {
  const drawn = line(points, "soft-line", ' marker-end="url(#arrow)"');
  return words === "" ? [drawn] : [drawn, caption(words, x, y, "soft small")];
}

/** Counts the functions of each subject without those that open wallets. */
function subjects(): [string, number][] {
  const counts = new Map<string, number>();
  for (const name of names.filter((name) => !isOpener(name))) {
    const subject = subjectOf(name) ?? "authorizers";
    counts.set(subject, (counts.get(subject) ?? 0) + 1);
  }
  return [...counts];
}
