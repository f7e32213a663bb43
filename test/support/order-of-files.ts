import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * Projects in the order in which they start. In each group, projects with long files come first, so that all
 * workers finish at about the same time. The files of a project stay together, because a worker that does not
 * isolate its files serves one project.
 */
const order = ["static", "unit", "e2e", "last", "system"];

export default class OrderOfFiles extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((one, other) => placeOf(one) - placeOf(other));
  }
}

const placeOf = ({ project }: TestSpecification) => order.indexOf(project.name);
