/** A turn of the event loop. */
interface Turn {
  /** By `performance.now()`; null while it lasts. */
  endedAt: number | null
}

let thisTurn: Turn | null = null

/** Shared by all callers in the same turn. */
function currentTurn(): Turn {
  if (thisTurn) return thisTurn
  const turn: Turn = { endedAt: null }
  thisTurn = turn
  setImmediate(() => {
    turn.endedAt = performance.now()
    thisTurn = null
  })
  return turn
}

/**
 * Rejects when `work` takes longer, counted from the end of the event loop turn in which it begins: what it sends
 * goes out only then, and with thousands of requests a turn can last longer than the limit. After a long turn,
 * timers run before the answers that have already arrived are read; those still count.
 */
export function within<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  const turn = currentTurn()
  return new Promise((resolve, reject) => {
    const giveUp = () => {
      // Timers count from the beginning of the turn in which they are set, and so may fire early.
      const leftMs = milliseconds - (performance.now() - (turn.endedAt ?? performance.now()))
      if (leftMs < 1) return reject(new Error(`no answer in ${milliseconds} ms`))
      timer = setTimeout(setImmediate, leftMs, giveUp)
    }
    let timer = setTimeout(setImmediate, milliseconds, giveUp)
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
