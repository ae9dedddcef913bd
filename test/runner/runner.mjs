import TestRunner from 'jest-runner'

/**
 * What these tests do to a service has to be seen within a time, which the other tests would take from it. They wait
 * more than they work, so two of them get on with each other.
 */
const AFTERWARDS = /\/test\/faults\//
/** For these also one of those is too much: within less than a second, or with no answer that is late. */
const ALONE =
  /\/test\/faults\/(database\/postgres-connections|network\/balancer|redis\/session-store-outage|redis\/shards)\./
/** However short a file of these is, it takes a minute or more: begun last, it would run on beside nothing. */
const LONG = [/\/test\/packages\//, /\/test\/browser\//]

/** Runs the tests side by side, the long ones first; then those that measure time, with more of it for each. */
export default class QuietRunner extends TestRunner {
  constructor(globalConfig, context) {
    super(globalConfig, context)
    this.alone = new TestRunner({ ...globalConfig, maxWorkers: 1 }, context)
  }

  async runTests(tests, watcher, options) {
    const [others, afterwards] = split(tests, ({ path }) => AFTERWARDS.test(path))
    const [pairs, alone] = split(afterwards, ({ path }) => ALONE.test(path))
    // An empty list would start workers all the same.
    if (others.length > 0) await super.runTests(others.toSorted(longestFirst), watcher, options)
    if (pairs.length > 0) await super.runTests(pairs, watcher, options)
    if (alone.length > 0) await this.alone.runTests(alone, watcher, options)
  }

  on(event, listener) {
    const unsubscribe = [super.on(event, listener), this.alone.on(event, listener)]
    return () => {
      for (const stop of unsubscribe) stop()
    }
  }
}

/** Those that are not, and those that are, each in their order. */
function split(tests, is) {
  return [tests.filter(test => !is(test)), tests.filter(is)]
}

/** Jest's own order, which knows only the sizes of files that it has not run yet, but for the folders of {@link LONG}. */
function longestFirst(a, b) {
  return rank(a) - rank(b)
}

function rank({ path }) {
  const index = LONG.findIndex(folder => folder.test(path))
  return index < 0 ? LONG.length : index
}
