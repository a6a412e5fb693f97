// Describes many numbers: extremes, mean, deviation and percentiles.
// A percentile that falls between two values is interpolated.
const { values, percentiles = [50, 90, 95, 99] } = args;

const sorted = Float64Array.from(values).sort();
const mean = sorted.reduce((sum, value) => sum + value, 0) / sorted.length;
const variance = sorted.reduce((sum, value) => sum + (value - mean) ** 2, 0) / sorted.length;

function percentile(percent) {
    const rank = (percent / 100) * (sorted.length - 1);
    const low = sorted[Math.floor(rank)];
    const high = sorted[Math.ceil(rank)];
    return low + (high - low) * (rank % 1);
}

const round = (value) => Number(value.toFixed(3));

return {
    count: sorted.length,
    min: sorted[0],
    max: sorted.at(-1),
    mean: round(mean),
    deviation: round(Math.sqrt(variance)),
    percentiles: Object.fromEntries(percentiles.map((p) => [`p${p}`, round(percentile(p))])),
};
