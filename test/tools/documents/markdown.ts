import { globSync, readFileSync } from "node:fs";

/** Lists all pages for readers, as paths from the repository's root. */
export const pages = globSync(["README.md", "docs/*.md", "lib/{console,local}/README.md"]).toSorted();

export const textOf = (page: string) => readFileSync(page, "utf8");

const fence = /^( *)```.*?^\1```$/gms;
const inlineCode = /`[^`\n]+`/g;

/** Returns the page without code blocks, line by line. */
export const proseOf = (page: string) => textOf(page).replace(fence, (block) => block.replace(/[^\n]+/g, ""));

/** Returns all code of a page: blocks and words in backticks. */
export const codeOf = (page: string) =>
  [...(textOf(page).match(fence) ?? []), ...(proseOf(page).match(inlineCode) ?? [])].join("\n");

/** Lists the targets of a page's links within the repository. */
export const linksOf = (page: string) =>
  [
    ...proseOf(page)
      .replace(inlineCode, "code")
      .matchAll(/\]\(([^)\s]+)\)/g),
  ]
    .map(([, target]) => target as string)
    .filter((target) => !/^[a-z]+:/.test(target));

/** Lists the anchors that GitHub creates for a page's headings. */
export const anchorsOf = (page: string) =>
  [...proseOf(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(" ", "-"),
  );

/** Splits a page into paragraphs and list items, each an array of lines without markers and indentation. */
export function blocksOf(page: string): string[][] {
  const blocks: string[][] = [];
  let isOpen = false;
  for (const line of proseOf(page).replace(inlineCode, "`code`").split("\n")) {
    const isProse = line.trim() !== "" && !/^(#|\||<|\[[^\]]+\]:)/.test(line.trim());
    const [, marker, text = ""] = /^\s*([-*]|\d+\.)?\s*(.*)$/.exec(line) ?? [];
    if (isProse && isOpen && marker === undefined) blocks.at(-1)?.push(text);
    else if (isProse) blocks.push([text]);
    isOpen = isProse;
  }
  return blocks;
}
