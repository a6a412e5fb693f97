// Plans a trip with calls in sequence: the route says when we arrive, the arrival which forecast
// to ask for, the forecast what to pack. The first tool that fails ends the plan, not the run.
const { from, to, departure } = args;

const plan = { from, to, departure, route: null, forecast: null, pack: ["passport"] };
let asking;

try {
    asking = "maps:route";
    plan.route = await mcp.maps.route({ from, to, departure });
    asking = "weather:forecast";
    plan.forecast = await mcp.weather.forecast({ place: to, time: plan.route?.arrival });
} catch (error) {
    return { ...plan, complete: false, failed: asking, reason: error.code ?? error.message };
}

if (plan.forecast?.rain) {
    plan.pack.push("umbrella");
}
if (plan.forecast?.celsius < 10) {
    plan.pack.push("coat");
}

return { ...plan, complete: true };
