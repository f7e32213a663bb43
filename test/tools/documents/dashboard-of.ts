type Graph = { title: string; metrics: readonly unknown[][] };

/** Makes a dashboard as a template has it. The value `name` stands for a name that is known only after a deploy. */
export function dashboardOf(graphs: readonly Graph[]) {
  const widgets = graphs.map((properties, index) => ({
    x: 8 * index,
    y: 0,
    width: 8,
    height: 6,
    properties,
  }));
  const parts = JSON.stringify({ widgets }).split("name");
  return {
    Type: "AWS::CloudWatch::Dashboard",
    Properties: {
      DashboardBody: {
        "Fn::Join": ["", parts.flatMap((part, index) => (index === 0 ? [part] : [{ Ref: "Name" }, part]))],
      },
    },
  };
}
