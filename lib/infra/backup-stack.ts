import {
  ArnFormat,
  CrossStackReferences,
  Duration,
  ReferenceStrength,
  Stack,
  type StackProps,
  Validations,
} from "aws-cdk-lib";
import { BackupPlan, BackupPlanRule, BackupResource, BackupVault } from "aws-cdk-lib/aws-backup";
import type { Table } from "aws-cdk-lib/aws-dynamodb";
import { Schedule } from "aws-cdk-lib/aws-events";
import type { Construct } from "constructs";
import { copiesVaultName } from "./replica-stack.ts";
import { retained } from "./retained.ts";

export type BackupStackProps = Pick<StackProps, "tags"> & { replicaRegion: string; table: Table };

/** Days until AWS Backup deletes a backup, and its copy in the other region. */
const kept = { backup: 2, copy: 14 };

/**
 * Stack of a daily backup of the table, and its copy to the vault of {@link copiesVaultName} in another region. Each
 * backup is complete, so a copy needs no earlier one. Point-in-time recovery continues independently.
 */
export class BackupStack extends Stack {
  constructor(scope: Construct, id: string, { replicaRegion, table, ...props }: BackupStackProps) {
    super(scope, id, { ...props, description: "Trading terminal: daily copies of the table" });
    CrossStackReferences.of(this).consume(ReferenceStrength.WEAK);
    const vault = new BackupVault(this, "Vault", { removalPolicy: retained });
    const destination = this.formatArn({
      service: "backup",
      region: replicaRegion,
      resource: "backup-vault",
      resourceName: copiesVaultName,
      arnFormat: ArnFormat.COLON_RESOURCE_NAME,
    });
    const plan = new BackupPlan(this, "Plan", {
      backupPlanRules: [
        new BackupPlanRule({
          ruleName: "Daily",
          backupVault: vault,
          scheduleExpression: Schedule.cron({ hour: "3", minute: "0" }),
          deleteAfter: Duration.days(kept.backup),
          copyActions: [
            {
              destinationBackupVault: BackupVault.fromBackupVaultArn(this, "Copies", destination),
              deleteAfter: Duration.days(kept.copy),
            },
          ],
        }),
      ],
    });
    const selection = plan.addSelection("Table", { resources: [BackupResource.fromDynamoDbTable(table)] });
    Validations.of(selection).acknowledge({
      id: "AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSBackupServiceRolePolicyForBackup]",
      reason: "AWS maintains the rights that AWS Backup needs for backups and copies.",
    });
  }
}
