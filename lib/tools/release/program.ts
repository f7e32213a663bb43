import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { Command } from "commander";
import { errorLine, OperatorError } from "../admin/operator-error.ts";
import { runProgram, type Stdio } from "../runner/run-program.ts";

export type ReleaseDeps = Stdio & {
  /** Folder of the checkout. */
  root: string;
  /** Date of the release, as in 2026-01-31. */
  date: string;
  hashes: () => string;
};

const heading = "## [Unreleased]\n";

/**
 * `npm run release -- 1.2.3`: makes the changelog's section, the notes and the hashes of a version, and no tag.
 *
 * @returns the exit code: 0 if all files are written, 1 if none is, 2 for wrong usage
 */
export async function runRelease(args: readonly string[], deps: ReleaseDeps): Promise<number> {
  const { stdout, stderr } = deps;
  const command = new Command("npm run release --")
    .description(
      "Makes the section of a version from [Unreleased] in docs/CHANGELOG.md, and its notes and hashes in docs/releases. Makes no tag.",
    )
    .argument("<version>", "such as 1.2.3");
  let code = 0;
  const status = await runProgram<string>(command, args, deps, async (version) => {
    try {
      for (const file of release(version, deps)) stdout.write(`wrote ${file}\n`);
      stdout.write(`Commit these files, and tag the commit v${version}.\n`);
    } catch (error) {
      const line = errorLine(error);
      if (line === undefined) throw error;
      stderr.write(`error: ${line}\n`);
      code = 1;
    }
  });
  return status === 0 ? code : status;
}

/** @returns the files that it wrote */
function release(version: string, { root, date, hashes }: ReleaseDeps): string[] {
  const changelog = resolve(root, "docs/CHANGELOG.md");
  const text = readFileSync(changelog, "utf8");
  const { before, notes, after } = partsOf(text);
  const [last = "0.0.0"] = /(?<=^## \[)\d[^\]]*/m.exec(after) ?? [];
  if (!isAfter(version, last))
    throw new OperatorError(`${version} is no version after ${last}. Give three numbers, such as 1.2.3.`);
  if (notes === "") throw new OperatorError("[Unreleased] in docs/CHANGELOG.md is empty.");
  const other = packagesIn(root).find((file) => readJson(resolve(root, file)).version !== version);
  if (other !== undefined)
    throw new OperatorError(
      `${other} has another version. Set all: npm version ${version} --workspaces --include-workspace-root --no-git-tag-version`,
    );
  const changed = execFileSync("git", ["status", "--porcelain"], { cwd: root, encoding: "utf8" });
  if (changed !== "") throw new OperatorError("Commit your changes first: hashes are those of a commit.");

  const folder = "docs/releases";
  const files = {
    [`${folder}/${version}.md`]: `# ${version} (${date})\n\n${linkedFrom(notes)}\n\n## Hashes\n\n[${version}.sha256](${version}.sha256) has the hash of each function's code without its first line, which holds the variables of a deployment.\n`,
    [`${folder}/${version}.sha256`]: hashes(),
    "docs/CHANGELOG.md": `${before}${heading}\n## [${version}] - ${date}\n\n${notes}\n${after && `\n${after}`}`,
  };
  const existing = Object.keys(files).find(
    (file) => file.startsWith(folder) && existsSync(resolve(root, file)),
  );
  if (existing !== undefined) throw new OperatorError(`${existing} exists.`);
  mkdirSync(resolve(root, folder), { recursive: true });
  for (const [file, content] of Object.entries(files)) writeFileSync(resolve(root, file), content);
  return Object.keys(files);
}

const readJson = (file: string) => JSON.parse(readFileSync(file, "utf8"));

/** Lists the packages of the project and its workspaces, whose versions are equal. */
const packagesIn = (root: string): string[] =>
  ["", ...readJson(resolve(root, "package.json")).workspaces].map((folder) => join(folder, "package.json"));

function partsOf(text: string): { before: string; notes: string; after: string } {
  const start = text.indexOf(heading);
  if (start < 0) throw new OperatorError("docs/CHANGELOG.md has no section [Unreleased].");
  const rest = text.slice(start + heading.length);
  const end = rest.search(/^## /m);
  const [notes, after] = end < 0 ? [rest, ""] : [rest.slice(0, end), rest.slice(end)];
  return { before: text.slice(0, start), notes: notes.trim(), after };
}

/** Corrects links of a page in docs for one in a folder of docs. */
const linkedFrom = (notes: string) => notes.replace(/\]\((?![a-z]+:|#)/g, "](../");

function isAfter(version: string, last: string): boolean {
  if (!/^(0|[1-9]\d{0,5})(\.(0|[1-9]\d{0,5})){2}$/.test(version)) return false;
  const [one, other] = [version, last].map((each) => each.split(".").map(Number));
  const at = one?.findIndex((number, index) => number !== other?.[index]) ?? -1;
  return at >= 0 && (one?.[at] ?? 0) > (other?.[at] ?? 0);
}
