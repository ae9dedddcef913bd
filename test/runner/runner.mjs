import TestRunner from 'jest-runner'

/** What these tests do to a service has to be seen within a time, which other tests beside them would take from it. */
const ALONE = /\/test\/faults\//

/** Runs the tests side by side, and then those one after the other that measure time. */
export default class QuietRunner extends TestRunner {
  constructor(globalConfig, context) {
    super(globalConfig, context)
    this.alone = new TestRunner({ ...globalConfig, maxWorkers: 1 }, context)
  }

  async runTests(tests, watcher, options) {
    const isAlone = ({ path }) => ALONE.test(path)
    const together = tests.filter(test => !isAlone(test))
    const others = tests.filter(isAlone)
    // An empty list would start workers all the same.
    if (together.length > 0) await super.runTests(together, watcher, options)
    if (others.length > 0) await this.alone.runTests(others, watcher, options)
  }

  on(event, listener) {
    const unsubscribe = [super.on(event, listener), this.alone.on(event, listener)]
    return () => {
      for (const stop of unsubscribe) stop()
    }
  }
}
