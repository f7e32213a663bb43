import * as schemas from "../../lib/api/user-operations.ts";
import { environment } from "../../lib/runtime/environment.ts";
import { rest, WithHeaders } from "../../lib/runtime/rest.ts";
import { endedCookie } from "../../lib/runtime/session-cookie.ts";

const cookie = endedCookie({ name: environment("COOKIE_NAME"), sameSite: environment("COOKIE_SAME_SITE") });

export const handler = rest(
  "endSession",
  schemas.endSession,
  async () => new WithHeaders(undefined, { "Set-Cookie": cookie }),
);
