import { createHash } from "node:crypto";

const style = `:root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}
body{max-width:22rem;margin:15vh auto;padding:0 1rem}
form{display:grid;gap:.75rem;margin:1rem 0}
input,button{font:inherit;padding:.6rem;border:1px solid GrayText;border-radius:.4rem}
button{cursor:pointer;min-height:2.75rem}
.primary{background:#1d4ed8;color:#fff;border-color:#1d4ed8}
label{display:grid;gap:.25rem}`;

const styleHash = createHash("sha256").update(style).digest("base64");

const escapes: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

const escaped = (text: string) => text.replace(/[&<>"]/g, (mark) => escapes[mark] ?? mark);

/** A page of the issuer. `target` is the address to which its form may lead, besides the issuer itself. */
export const issuerPage = (title: string, content: string, target?: string) => ({
  html: `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${style}</style>
<main>
<h1>${title}</h1>
${content}
</main>
</html>
`,
  // Names the target too, because browsers apply the rule to the redirects that answer a form.
  policy: `default-src 'none'; style-src 'sha256-${styleHash}'; img-src data:; base-uri 'none'; frame-ancestors 'none'; form-action 'self'${target === undefined ? "" : ` ${new URL(target).origin}`}`,
});

/** Fields that repeat a request in a form. */
const repeated = (params: URLSearchParams) =>
  [...params]
    .map(([name, value]) => `<input type="hidden" name="${escaped(name)}" value="${escaped(value)}">`)
    .join("\n");

/** Asks who signs in. Nobody needs a password here. */
export const signInPage = (params: URLSearchParams, user: string, target: string) =>
  issuerPage(
    "Sign in",
    `<p>This is the sign-in of your own machine. It needs no password.</p>
<form method="post">
${repeated(params)}
<button class="primary" name="known" value="${escaped(user)}">Continue as ${escaped(user)}</button>
</form>
<form method="post">
${repeated(params)}
<label>User<input name="user" required maxlength="255" autocomplete="off"></label>
<button>Continue</button>
</form>
<form method="post">
${repeated(params)}
<button name="refused" value="yes">Cancel</button>
</form>`,
    target,
  );

/** Asks whether to sign out, because any page could have sent the browser here. */
export const signOutPage = (params: URLSearchParams, target: string | undefined) =>
  issuerPage(
    "Sign out?",
    `<form method="post">
${repeated(params)}
<button class="primary" name="sure" value="yes">Sign out</button>
</form>`,
    target,
  );

export const refusalPage = (reason: string) =>
  issuerPage("This sign-in cannot work", `<p>${escaped(reason)}</p><p>Go back, and start again.</p>`);

export const signedOutPage = () => issuerPage("You are signed out", "<p>You can close this page.</p>");
