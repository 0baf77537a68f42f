import java.util.List;
import java.util.Map;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.PlaybooksApi;
import org.openapitools.client.api.RunsApi;
import org.openapitools.client.model.TriggerRunRequest;

public class Program {
  interface Call {
    void run() throws ApiException;
  }

  static ApiClient api(String key) {
    ApiClient client = new ApiClient();
    client.updateBaseUri(System.getenv("BASE_URL"));
    client.setRequestInterceptor(request -> request.header("Authorization", "Bearer " + key));
    return client;
  }

  static int statusOf(Call call) {
    try {
      call.run();
      return 0;
    } catch (ApiException error) {
      return error.getCode();
    }
  }

  static void expect(String what, boolean ok) {
    if (!ok) throw new IllegalStateException(what);
  }

  public static void main(String[] args) throws Exception {
    ApiClient client = api(System.getenv("API_KEY"));
    var playbooks = new PlaybooksApi(client).listPlaybooks(null, null, null);
    expect("list", playbooks.getMeta().getTotal() == 4 && playbooks.getData().size() == 4);
    RunsApi runs = new RunsApi(client);
    var request = new TriggerRunRequest().inputs(Map.of("order", "42"));
    String id = runs.triggerRun(playbooks.getData().get(0).getId(), request, null).getId();
    var run = runs.getRun(id, null);
    for (int polls = 0; polls < 100 && !List.of("succeeded", "failed").contains(run.getStatus()); polls++) {
      Thread.sleep(50);
      run = runs.getRun(id, null);
    }
    expect("succeeds", run.getStatus().equals("succeeded") && run.getSteps().size() == 2);

    expect("404", statusOf(() -> runs.getRun("run_unknown", null)) == 404);
    var limited = new PlaybooksApi(api(System.getenv("LIMITED_KEY")));
    expect("429", statusOf(() -> limited.listPlaybooks(null, null, null)) == 429);
  }
}
