import * as schemas from "../../lib/api/user-operations.ts";
import { environment } from "../../lib/runtime/environment.ts";
import { rest, WithHeaders } from "../../lib/runtime/rest.ts";
import { tokenCookie } from "../../lib/runtime/session-cookie.ts";

const options = {
  cookieName: environment("COOKIE_NAME"),
  sameSite: environment("COOKIE_SAME_SITE"),
};

export const handler = rest("startSession", schemas.startSession, async ({ bearer, now }) => {
  const { token, expiresAt } = bearer();
  return new WithHeaders(undefined, { "Set-Cookie": tokenCookie(token, expiresAt, now, options) });
});
