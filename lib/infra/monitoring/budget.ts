import { CfnBudget } from "aws-cdk-lib/aws-budgets";
import type { Construct } from "constructs";

/** Notifies a topic once the account's costs of a month reach a share of the budget, or are forecast to reach it. */
export function addBudget(scope: Construct, dollars: number, topicArn: string): void {
  const at = (notificationType: "ACTUAL" | "FORECASTED", threshold: number) => ({
    notification: {
      notificationType,
      comparisonOperator: "GREATER_THAN",
      threshold,
      thresholdType: "PERCENTAGE",
    },
    subscribers: [{ subscriptionType: "SNS", address: topicArn }],
  });
  new CfnBudget(scope, "Budget", {
    budget: {
      budgetType: "COST",
      timeUnit: "MONTHLY",
      budgetLimit: { amount: dollars, unit: "USD" },
    },
    notificationsWithSubscribers: [at("ACTUAL", 80), at("ACTUAL", 100), at("FORECASTED", 100)],
  });
}
