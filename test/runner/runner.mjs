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
    await super.runTests(
      tests.filter(test => !isAlone(test)),
      watcher,
      options,
    )
    await this.alone.runTests(tests.filter(isAlone), watcher, options)
  }

  on(event, listener) {
    const unsubscribe = [super.on(event, listener), this.alone.on(event, listener)]
    return () => {
      for (const stop of unsubscribe) stop()
    }
  }
}
