import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A client of java.net.http; FAULT plants a fault. */
class Client {
  static final String FAULT = System.getenv().getOrDefault("FAULT", "");
  static final HttpClient CLIENT = HttpClient.newHttpClient();

  /** Nobody knows whether the run was started. */
  static class Unknown extends Exception {}

  static HttpResponse<String> send(String method, String url, String body) throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(url))
            .method(method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(body))
            .header("Authorization", "Bearer " + System.getenv("WORKFLOW_API_KEY"))
            .header("Content-Type", "application/json")
            .timeout(Duration.ofSeconds(10))
            .build();
    return CLIENT.send(request, BodyHandlers.ofString());
  }

  static String call(String method, String path, String body) throws Exception {
    for (int attempt = 0; attempt < 6; attempt++) {
      HttpResponse<String> response;
      try {
        response = send(method, System.getenv("WORKFLOW_BASE_URL") + path, body);
      } catch (IOException error) {
        if (method.equals("POST")) throw new Unknown();
        Thread.sleep(300);
        continue;
      }
      int status = response.statusCode();
      if (status < 300) return response.body();
      if (status == 429) Thread.sleep(1000 * response.headers().firstValueAsLong("Retry-After").orElse(1));
      else if (status == 500 || (status == 503 && FAULT.equals("resends after a 503"))) Thread.sleep(300);
      else if (status > 500 && method.equals("POST")) throw new Unknown();
      else throw new IllegalStateException(method + " " + path + ": " + status);
    }
    throw new IllegalStateException("gave up");
  }

  static String first(String json, String name) {
    Matcher matcher = Pattern.compile("\"" + name + "\" *: *\"([^\"]+)\"").matcher(json);
    if (!matcher.find()) throw new IllegalStateException("no " + name);
    return matcher.group(1);
  }

  public static void main(String[] args) throws Exception {
    String inject = System.getenv().getOrDefault("INJECT", "");
    if (!inject.isEmpty()) send("POST", System.getenv("SANDBOX_URL") + "/__sandbox/inject", inject);
    String playbook = first(call("GET", "/playbooks", null), "id");
    for (int order = 0; order < 4; order++) {
      if (order > 0 && FAULT.equals("lists each time")) call("GET", "/playbooks", null);
      try {
        String inputs = "{\"inputs\":{\"order\":\"" + order + "\"}}";
        String run = first(call("POST", "/playbooks/" + playbook + "/runs", inputs), "id");
        for (int poll = 0; poll < 10; poll++) {
          call("GET", "/runs/" + run, null);
          Thread.sleep(100);
        }
      } catch (Unknown unknown) {
        System.out.println("It is not known whether the run was started.");
      }
    }
  }
}
