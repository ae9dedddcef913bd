/** Rejects when `work` takes longer, by the answers that have arrived: after a stall of our own, timers run before sockets are read. */
export function within<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(new Error(`no answer in ${milliseconds} ms`))
    const timer = setTimeout(() => setImmediate(giveUp), milliseconds)
    work.then(
      value => {
        clearTimeout(timer)
        resolve(value)
      },
      error => {
        clearTimeout(timer)
        reject(error)
      },
    )
  })
}
