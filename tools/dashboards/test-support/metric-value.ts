/** Value of a query with one series; undefined without a series. */
export async function metricValue(prometheusUrl: string, query: string): Promise<number | undefined> {
  const response = await fetch(`${prometheusUrl}/api/v1/query?${new URLSearchParams({ query }).toString()}`);
  const { data } = (await response.json()) as { data: { result: { value: [number, string] }[] } };
  const value = data.result[0]?.value[1];
  return value === undefined ? undefined : Number(value);
}
