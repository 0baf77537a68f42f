import org.openapitools.client.apis.PlaybooksApi
import org.openapitools.client.apis.RunsApi
import org.openapitools.client.infrastructure.ApiClient
import org.openapitools.client.infrastructure.ClientException
import org.openapitools.client.models.TriggerRunRequest

fun statusOf(call: () -> Unit): Int =
    try {
        call()
        0
    } catch (error: ClientException) {
        error.statusCode
    }

fun main() {
    val base = System.getenv("BASE_URL")
    ApiClient.accessToken = System.getenv("API_KEY")
    val playbooks = PlaybooksApi(base).listPlaybooks()
    check(playbooks.meta.total == 4 && playbooks.`data`.size == 4)
    val runs = RunsApi(base)
    val id = runs.triggerRun(playbooks.`data`[0].id!!, TriggerRunRequest(mapOf("order" to "42"))).id!!
    var run = runs.getRun(id)
    for (polls in 1..100) {
        if (run.status in listOf("succeeded", "failed")) break
        Thread.sleep(50)
        run = runs.getRun(id)
    }
    check(run.status == "succeeded" && run.steps.size == 2)

    check(statusOf { runs.getRun("run_unknown") } == 404)
    ApiClient.accessToken = System.getenv("LIMITED_KEY")
    check(statusOf { PlaybooksApi(base).listPlaybooks() } == 429)
    kotlin.system.exitProcess(0)
}
