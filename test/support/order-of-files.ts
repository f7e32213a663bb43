import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * Projects in starting order. Within a group, projects with long files come first, so that all workers finish at about
 * the same time. Files of a project stay together, because a worker without isolation serves a single project.
 */
const order = ["static", "unit", "e2e", "last", "system"];

/** Slowest files first, which wait for chains and clocks. Other files of their projects fill the time. */
const longest = [
  "e2e/local/verify",
  "trading/execution/sol-orders-by-jupiter",
  "trading/execution/private-sol-orders",
  "infra/taken-over/every-function",
  "browser/ticket",
  "browser/troubled-trade",
  "browser/newcomer",
  "browser/console",
];

export default class OrderOfFiles extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted(
      (one, other) => placeOf(one) - placeOf(other) || placeAmongLong(one) - placeAmongLong(other),
    );
  }
}

const placeOf = ({ project }: TestSpecification) => order.indexOf(project.name);

function placeAmongLong({ moduleId }: TestSpecification): number {
  const found = longest.findIndex((name) => moduleId.includes(`/test/${name}.`));
  return found < 0 ? longest.length : found;
}
