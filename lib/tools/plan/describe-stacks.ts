import { ConfigurationError } from "../../infra/config.ts";
import { readStacks } from "../../infra/read-stacks.ts";
import { OperatorError } from "../admin/operator-error.ts";
import { costAtRest } from "../documents/bill.ts";

/** Keeps CDK from printing warnings, which `plan` prints itself. */
const quietly = { "@aws-cdk/core:annotationsInValidationReport": false };

const counted = (count: number, what: string) => `${count} ${what}${count === 1 ? "" : "s"}`;

/**
 * Lists the stacks of a context with their resources, and what they cost at rest.
 *
 * @throws {OperatorError} if the stacks refuse the configuration
 */
export function describeStacks(context: Record<string, unknown>, region: string | undefined): string[] {
  try {
    return readStacks(
      { ...context, ...quietly },
      (stacks) => {
        const { aws, hosts } = costAtRest(stacks.map(({ template }) => template));
        return [
          "Stacks, in the order of a deploy:",
          ...stacks.map(({ stackName, template }) => {
            const types = Object.values(template.Resources).map(({ Type }) => Type);
            const functions = types.filter((type) => type === "AWS::Lambda::Function").length;
            const alarms = types.filter((type) => type === "AWS::CloudWatch::Alarm").length;
            return [
              `  ${stackName}: ${counted(types.length, "resource")}`,
              ...(functions > 0 ? [counted(functions, "function")] : []),
              ...(alarms > 0 ? [counted(alarms, "alarm")] : []),
            ].join(", ");
          }),
          `Cost while nobody uses it, about: $${aws.toFixed(2)} a month of AWS${hosts > 0 ? `, and $${hosts.toFixed(2)} of hosts` : ""}`,
          "docs/costs.md has the costs of users.",
        ];
      },
      region,
    );
  } catch (error) {
    if (error instanceof ConfigurationError) throw new OperatorError(error.message);
    throw error;
  }
}
