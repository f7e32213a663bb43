import { type GatewayRequest, type GatewayResponse, header, json, type Pair } from "../http/messages.ts";
import type { OwnPath } from "../own-route.ts";
import { type Asked, type CodeFlow, TokenError } from "./code-flow.ts";
import { type issuerPage, refusalPage, signedOutPage, signInPage, signOutPage } from "./sign-in-page.ts";

/** User whom the sign-in page offers to a browser without a sign-in. */
const EXAMPLE_USER = "alice";

const cookieName = "local_issuer";

/** Fields that the forms of the pages add to a request. */
const ownFields = ["known", "user", "refused", "sure"];

/** Serves the issuer's pages and its endpoints for clients. */
export function signInPaths(path: string, flow: CodeFlow): Record<string, OwnPath> {
  const cookie = (value: string, seconds: number): Pair => [
    "Set-Cookie",
    `${cookieName}=${value}; Path=${path}; Max-Age=${seconds}; HttpOnly; SameSite=Lax`,
  ];

  /** Carries out a decision about a request to sign in. */
  function carryOut(asked: Asked & { sessionId?: string }, params: URLSearchParams): GatewayResponse {
    if (asked.outcome === "refused") return page(400, refusalPage(asked.reason));
    if (asked.outcome === "ask")
      return page(200, signInPage(params, asked.known ?? EXAMPLE_USER, asked.redirectUri));
    return redirect(
      asked.location,
      ...(asked.sessionId === undefined ? [] : [cookie(asked.sessionId, 86_400)]),
    );
  }

  function signOut(request: GatewayRequest, params: URLSearchParams): GatewayResponse {
    flow.endSession(sessionOf(request));
    const target = flow.afterSignOut(params);
    const gone = cookie("", 0);
    return target === undefined ? page(200, signedOutPage(), gone) : redirect(target, gone);
  }

  /** Lets pages of the clients read an answer. */
  function shared(request: GatewayRequest, { headers, ...answer }: GatewayResponse): GatewayResponse {
    const origin = header(request, "origin");
    const isKnown = origin !== undefined && flow.origins.has(origin);
    const allow: Pair[] = isKnown ? [["Access-Control-Allow-Origin", origin]] : [];
    return { ...answer, headers: [...headers, ["Vary", "Origin"], ...allow] };
  }

  /** Serves an endpoint for clients, which takes a form and answers in JSON. */
  const endpoint = (act: (params: URLSearchParams) => object | Promise<object>): OwnPath => ({
    async POST(request) {
      const noStore: Pair = ["Cache-Control", "no-store"];
      if (!isForm(request))
        return json(415, { error: "Content-Type must be application/x-www-form-urlencoded" });
      try {
        return shared(request, json(200, await act(formOf(request)), noStore));
      } catch (error) {
        if (!(error instanceof TokenError)) throw error;
        return shared(request, json(400, { error: error.code, error_description: error.message }, noStore));
      }
    },
  });

  return {
    [`${path}/authorize`]: {
      GET: async (request) => {
        const params = queryOf(request);
        return carryOut(flow.ask(params, sessionOf(request)), params);
      },
      async POST(request) {
        if (!isOwnForm(request)) return page(403, refusalPage("The request comes from another page."));
        const { params, own } = readForm(request);
        const user = own.known ?? own.user;
        if (user === undefined && own.refused === undefined) return page(400, refusalPage("Name a user."));
        if (user !== undefined && !/^[\x20-\x7e]{1,255}$/.test(user))
          return page(400, refusalPage("A user's name has 1 to 255 ASCII characters."));
        return carryOut(flow.decide(params, user, sessionOf(request)), params);
      },
    },
    [`${path}/logout`]: {
      async GET(request) {
        const params = queryOf(request);
        if (await flow.isSure(params)) return signOut(request, params);
        return page(200, signOutPage(params, flow.afterSignOut(params)));
      },
      async POST(request) {
        if (!isOwnForm(request)) return page(403, refusalPage("The request comes from another page."));
        return signOut(request, readForm(request).params);
      },
    },
    [`${path}/oauth/token`]: endpoint((params) => flow.grant(params)),
    [`${path}/revoke`]: endpoint((params) => {
      flow.revoke(params);
      return {};
    }),
  };
}

const queryOf = ({ target }: GatewayRequest) => new URLSearchParams(target.split("?").slice(1).join("?"));

const formOf = ({ body }: GatewayRequest) => new URLSearchParams(body.toString("utf8"));

const isForm = (request: GatewayRequest) =>
  /^application\/x-www-form-urlencoded\s*(;|$)/i.test(header(request, "content-type") ?? "");

/** False for forms on pages of other sites, which could sign a user in as somebody else. */
const isOwnForm = (request: GatewayRequest) =>
  isForm(request) && ["same-origin", undefined].includes(header(request, "sec-fetch-site"));

/** Separates the fields of the page's own buttons from the request that the form repeats. */
function readForm(request: GatewayRequest) {
  const params = formOf(request);
  const own: Partial<Record<string, string>> = {};
  for (const name of ownFields) {
    const value = params.get(name);
    if (value !== null) own[name] = value;
    params.delete(name);
  }
  return { params, own };
}

const sessionOf = (request: GatewayRequest) =>
  new RegExp(`(?:^|;\\s*)${cookieName}=([\\w-]+)`).exec(header(request, "cookie") ?? "")?.[1] ?? "";

const pageHeaders: Pair[] = [
  ["Cache-Control", "no-store"],
  ["Referrer-Policy", "no-referrer"],
  ["X-Content-Type-Options", "nosniff"],
];

const page = (
  status: number,
  { html, policy }: ReturnType<typeof issuerPage>,
  ...headers: Pair[]
): GatewayResponse => ({
  status,
  headers: [
    ["Content-Type", "text/html; charset=utf-8"],
    ["Content-Security-Policy", policy],
    ...pageHeaders,
    ...headers,
  ],
  body: Buffer.from(html),
});

const redirect = (location: string, ...headers: Pair[]): GatewayResponse => ({
  status: 303,
  headers: [["Location", location], ...pageHeaders, ...headers],
  body: Buffer.of(),
});
