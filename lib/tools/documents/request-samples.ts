import type { RestOperationName } from "../../operations/operations.ts";
import type { RestMethod } from "../../operations/types.ts";
import { type RestExample, shellVariables } from "./rest-examples.ts";

/** Formats a request as a shell command that uses BASE_URL and TOKEN. */
export function curlSample({ method, path }: RestMethod, example: RestExample = {}): string {
  const { query, headers = {}, body } = example;
  const resolved = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    name in shellVariables ? `$${shellVariables[name]}` : encodeURIComponent(example.path?.[name] ?? name),
  );
  const data = JSON.stringify(body, (name, value: unknown) =>
    name in shellVariables ? `'$${shellVariables[name]}'` : value,
  );
  const search = query === undefined ? "" : `?${new URLSearchParams(queryText(query))}`;
  const usual = body === undefined ? "GET" : "POST";
  const parts = [
    `curl -sw '\\n'${method === usual ? "" : ` -X ${method}`} "$BASE_URL${resolved}${search}"`,
    `-H "Authorization: Bearer $TOKEN"`,
    ...Object.entries(headers).map(([name, value]) => `-H '${name}: ${value}'`),
    ...(body === undefined ? [] : ["-H 'Content-Type: application/json'", `-d '${data}'`]),
  ];
  return parts.join(" \\\n  ");
}

/** Lists the query parameters as they are sent. */
export const queryText = (query: NonNullable<RestExample["query"]>): Record<string, string> =>
  Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)]));

/** An expression of JavaScript for a time that no sample outlives. */
const inAMonth = "new Date(Date.now() + 30 * 86_400_000).toISOString()";

/** Formats a request as a call of `trading-terminal-client`, which makes Idempotency-Keys itself. */
export function clientSample(name: RestOperationName, example: RestExample = {}): string {
  const { "Idempotency-Key": _, ...headers } = example.headers ?? {};
  const request = { ...example, headers: Object.keys(headers).length > 0 ? headers : undefined };
  const given = Object.values(request).some((part) => part !== undefined);
  const literal = JSON.stringify(request, null, 2)
    .replaceAll(/"([A-Za-z]\w*)":/g, "$1:")
    .replaceAll(/(expiresAt): "[^"]*"/g, `$1: ${inAMonth}`);
  return `const { data, error } = await terminal.${name}(${given ? literal : ""});`;
}

/** Introduction of the reference page, in Markdown. */
export const introduction = `Wallets, trading settings, orders and rewards of a multi-chain trading terminal.
Changes arrive at once on the [streams](streams.html).

The examples can be pasted into a shell, once it has these variables. This is for the local runner, with chains:

\`\`\`bash
export BASE_URL=http://127.0.0.1:3000
export TOKEN=$(npm run -s token -- --user alice)
\`\`\`

Those of one wallet, order or program key name it by its id. This takes the last wallet, and the newest order and key:

\`\`\`bash
export WALLET_ID=$(curl -s "$BASE_URL/api/v2/wallets" -H "Authorization: Bearer $TOKEN" |
  node -p 'JSON.parse(fs.readFileSync(0)).data.wallets.at(-1)?._id')
export ORDER_ID=$(curl -s "$BASE_URL/api/v2/orders?limit=1" -H "Authorization: Bearer $TOKEN" |
  node -p 'JSON.parse(fs.readFileSync(0)).data.orders[0]?.orderId')
export KEY_ID=$(curl -s "$BASE_URL/api/v2/keys" -H "Authorization: Bearer $TOKEN" |
  node -p 'JSON.parse(fs.readFileSync(0)).data.keys[0]?.keyId')
\`\`\`

A new key ends in a month:

\`\`\`bash
export EXPIRES_AT=$(node -p '${inAMonth}')
\`\`\`

The examples in JavaScript are for \`trading-terminal-client\`:

\`\`\`js
import { createTerminal } from "trading-terminal-client";

const terminal = createTerminal({ baseUrl: "http://127.0.0.1:3000", token: async () => process.env.TOKEN });
\`\`\`

Every request needs a token, in the \`Authorization\` header or in a cookie. Fields that you do not know can be added
to answers at any time: ignore them.`;
