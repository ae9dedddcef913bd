import SharingRuntime from '../runner/runtime.mjs'
import { mutants } from './environment.mjs'

/** What runs while a module loads runs for no test, even if a test has it loaded: it does not run again. */
export default class MutationRuntime extends SharingRuntime {
  load(from, name) {
    const { currentTestId } = mutants
    mutants.currentTestId = undefined
    try {
      return super.load(from, name)
    } finally {
      mutants.currentTestId = currentTestId
    }
  }
}
