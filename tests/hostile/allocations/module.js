// expect: SUCCESS ["module",{"n":7},"object"]
const helper = async (x) => ({...x});
export const other = [1, 2, 3].map((n) => n ** 2);
export class Thing { static made = new Thing(); }
export {helper as renamed};
const top = await helper({n: 1});
export default async function main(args, {mcp}) {
    const {n} = await mcp.echo.it({n: top.n + 6});
    return ["module", {n}, typeof Thing.made];
}
