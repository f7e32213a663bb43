/** What looks like a token: three parts of base64url, of which the first is a JSON object. */
const tokenPattern = /\beyJ[\w-]*\.[\w-]*\.[\w-]*/g;

/** The secrets of a run. They are replaced in everything that is printed. */
export class Secrets {
  readonly #known = new Set<string>();

  add(secret: string): void {
    if (secret !== "") this.#known.add(secret);
  }

  hide(text: string): string {
    const hidden = [...this.#known].reduce((rest, secret) => rest.replaceAll(secret, "[secret]"), text);
    return hidden.replace(tokenPattern, "[token]");
  }
}
