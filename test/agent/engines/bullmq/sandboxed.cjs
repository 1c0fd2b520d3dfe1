// A processor in a process of its own. Jobs named `deaf` do not listen to the signal, and return after half a second.
module.exports = (job, _token, signal) =>
  new Promise((resolve, reject) => {
    if (job.name === "deaf") setTimeout(() => resolve("done"), 500)
    else signal.addEventListener("abort", () => reject(new RangeError("told to stop")))
  })
