import { useState } from 'react'
import { RadioChoice } from '../../../../pieces/forms/choice.js'
import { Form } from '../../../../pieces/forms/form.js'
import { Success } from '../../../../pieces/notice.js'
import { useLoad } from '../../../../pieces/use-load.js'
import { Loaded } from '../../../../pieces/waiting.js'
import type { Account } from '../../../answers.js'
import { call } from '../../../api.js'

const POLICIES = [
  { value: 'none', name: 'As each satellite is set' },
  {
    value: 'owners',
    name: 'The owner through this site only',
    hint: 'The one password that opens everything is never typed on a satellite.',
  },
  { value: 'everyone', name: 'Everybody through this site only' },
]

/** How people log in on satellites, for all of the account. */
export function LoginPolicy() {
  const account = useLoad(() => call<Account>('GET', 'account'))
  const [isSaved, setIsSaved] = useState(false)
  return (
    <Loaded of={account}>
      {({ handoffRequired }) => (
        <Form
          submit="Save"
          send={async texts => {
            setIsSaved(false)
            await call('PATCH', 'account', { handoffRequired: texts.handoffRequired })
            setIsSaved(true)
          }}
        >
          {isSaved && <Success>Saved.</Success>}
          <RadioChoice
            label="How people log in on satellites"
            name="handoffRequired"
            options={POLICIES}
            chosen={handoffRequired}
          />
        </Form>
      )}
    </Loaded>
  )
}
