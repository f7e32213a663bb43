/** A token of the local issuer, which signs for any user. */
export async function localToken(sub) {
  const response = await fetch("/_local/issuer/token", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ sub, expiresIn: 3600 }),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.error);
  return answer.access_token;
}

/** The request of a form. Empty fields are left out; a number field with other text is sent as text. */
export function readForm(form) {
  const { method, path } = form.dataset;
  const filled = [...form.elements].filter(({ name, value }) => name && value !== "");
  const inPath = ({ dataset }) => dataset.in === "path";
  const fields = Object.fromEntries(
    filled.filter((field) => !inPath(field)).map((field) => [field.name, typedValue(field)]),
  );
  const resolved = filled
    .filter(inPath)
    .reduce((text, { name, value }) => text.replace(`{${name}}`, encodeURIComponent(value)), path);
  if (method === "POST") return { method, path: resolved, body: JSON.stringify(fields) };
  const query = new URLSearchParams(fields).toString();
  return { method, path: query ? `${resolved}?${query}` : resolved };
}

function typedValue({ value, dataset }) {
  if (dataset.type === "boolean") return value === "true";
  return dataset.type === "number" && Number.isFinite(Number(value)) ? Number(value) : value;
}

/** Calls an operation. Returns the body as text, indented if it is JSON. */
export async function call({ method, path, body }, token) {
  const begun = performance.now();
  const response = await fetch(path, {
    method,
    headers: {
      ...(token && { Authorization: `Bearer ${token}` }),
      ...(body !== undefined && { "Content-Type": "application/json" }),
    },
    ...(body !== undefined && { body }),
  });
  const text = await response.text();
  return {
    status: response.status,
    milliseconds: Math.round(performance.now() - begun),
    body: indented(text),
  };
}

function indented(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
