import { Command, type Option } from 'commander'

/** A command that names a mistyped option before what is missing because of it: `--emial` before `--email`. */
export class OperatorCommand extends Command {
  override createCommand(name?: string): OperatorCommand {
    return new OperatorCommand(name)
  }

  /** Overrides what commander does when a required option is missing, before it looks for unknown ones. */
  missingMandatoryOptionValue(option: Option): void {
    const unknown = this.args.find(text => /^--?[^-]/.test(text))
    const { unknownOption, missingMandatoryOptionValue } = Command.prototype as unknown as Untyped
    if (unknown !== undefined) unknownOption.call(this, unknown)
    missingMandatoryOptionValue.call(this, option)
  }
}

/** What commander has without declaring it. Both end the command. */
interface Untyped {
  unknownOption(this: Command, flag: string): void
  missingMandatoryOptionValue(this: Command, option: Option): void
}
