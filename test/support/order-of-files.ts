import { relative } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import durations from "./durations.json" with { type: "json" };

/**
 * Projects in starting order. Within a group, projects with long files come first, so that all workers finish at about
 * the same time. Files of a project stay together, because a worker without isolation serves a single project.
 */
const order = ["static", "unit", "e2e", "last", "system"];

const seconds = new Map<string, number>(Object.entries(durations));

/** Starts the longest files first, as recorded. They wait for chains and clocks, and shorter ones fill the time. */
export default class OrderOfFiles extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted(
      (one, other) => placeOf(one) - placeOf(other) || secondsOf(other) - secondsOf(one),
    );
  }
}

const placeOf = ({ project }: TestSpecification) => order.indexOf(project.name);

const secondsOf = ({ moduleId }: TestSpecification) => seconds.get(relative(process.cwd(), moduleId)) ?? 0;
