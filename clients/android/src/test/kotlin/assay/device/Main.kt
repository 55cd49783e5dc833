package assay.device

import java.io.File

/** The tests that need no daemon. `vectors`: docs/vectors/client-data-v1.json; `folder`: an empty one. */
fun main(arguments: Array<String>) {
    val checks = Checks()
    val folder = File(arguments[1])
    clientDataTests(checks, File(arguments[0]))
    backOffTests(checks)
    answerTests(checks)
    decisionTests(checks)
    recordTests(checks, folder)
    payloadTests(checks, folder)
    registrationTests(checks)
    uploadTests(checks)
    sharingTests(checks)
    integrityTests(checks)
    httpTests(checks)
    androidTests(checks)
    checks.run()
}
